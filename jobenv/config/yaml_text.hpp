#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/text_keys.hpp"

namespace ddp {

/// Parses one YAML document, strictly: duplicate keys, a second document, tags, keys that are no plain text,
/// aliases that loop or explode, control characters, tabs as indentation, text that is no UTF-8 and anything
/// over the limits of config_limits.hpp are errors; so is a text of several lines, but for `texts`. A byte
/// order mark and CRLF line ends are accepted. An empty document is an empty map.
[[nodiscard]] tl::expected<ConfigNode, Errors> parse_yaml(const std::shared_ptr<const SourceText>& source,
                                                          TextKeys texts = {});

/// The text of a file, an absolute path. Reads at most kMaxConfigBytes. `name` is what messages call the
/// file.
[[nodiscard]] tl::expected<std::shared_ptr<const SourceText>, Errors> load_source_text(
    const std::filesystem::path& file, const std::string& name, Origin origin);

/// parse_yaml of it.
[[nodiscard]] tl::expected<ConfigNode, Errors> load_yaml(const std::filesystem::path& file,
                                                         const std::string& name, Origin origin,
                                                         TextKeys texts = {});

/// The map that the argument `a.b.c=VALUE` stands for. VALUE is a YAML flow value when it starts with `[`,
/// `{` or a quote, null when it is `null` or `~`, and else the text as it is.
[[nodiscard]] tl::expected<ConfigNode, Errors> parse_override(const std::string& argument,
                                                              const std::string& folder, TextKeys texts = {});

}  // namespace ddp
