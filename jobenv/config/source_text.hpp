#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/config/config_node.hpp"

namespace ddp {

/// Takes off a byte order mark, makes CRLF to LF and finds the lines.
[[nodiscard]] std::shared_ptr<const SourceText> make_source_text(std::string name, std::string folder,
                                                                 std::string text, Origin origin);

/// A command-line argument as a source: it has no lines.
[[nodiscard]] std::shared_ptr<const SourceText> make_argument_source(std::string argument,
                                                                     std::string folder);

/// The line that holds `offset`, without its end, and where it begins.
struct SourceLine {
  int number = 0;
  std::size_t start = 0;
  std::string_view text;
};
[[nodiscard]] SourceLine line_at(const SourceText& source, std::size_t offset);
[[nodiscard]] Place place_at(const std::shared_ptr<const SourceText>& source, std::size_t offset,
                             int length = 1);

/// The first thing in the text that no configuration may hold: broken UTF-8, a control or invisible
/// formatting character, a tab in indentation, brackets without end.
[[nodiscard]] std::optional<Error> check_source_text(const std::shared_ptr<const SourceText>& source);

}  // namespace ddp
