#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Which layer a value was written in. Later ones win.
enum class Origin { default_value, included_file, user_file, config_file, command_line };

/// A text that configuration was read from. Shared by all nodes read from it.
struct SourceText {
  std::string name;                      ///< as the user would type it, or "command line"
  std::string folder;                    ///< relative paths in the text start here; absolute
  std::string text;                      ///< without byte order mark
  std::vector<std::size_t> line_starts;  ///< offsets into `text`; empty for a command-line argument
  Origin origin = Origin::config_file;
};

/// A place in a SourceText: cheap to hold, a SourceMark when asked. Lines and columns count from 1, columns
/// and length in bytes.
struct Place {
  std::shared_ptr<const SourceText> source;
  int line = 0;
  int column = 0;
  int length = 1;

  [[nodiscard]] SourceMark mark() const;
  /// "run.yaml:4", "command line" or "default".
  [[nodiscard]] std::string describe() const;
};

/// One value of a configuration with the place it was written at: null, scalar, sequence or map. A plain tree
/// without aliases; map keys are unique and keep their order.
struct ConfigNode {
  enum class Kind { null, scalar, sequence, map };
  enum class Quoting { plain, quoted };
  struct Entry;

  Kind kind = Kind::null;
  std::string scalar = {};
  Quoting quoting = Quoting::plain;
  std::vector<ConfigNode> items = {};
  std::vector<Entry> entries = {};
  Place place = {};

  [[nodiscard]] const Entry* find(std::string_view key) const;
  /// The entry at a dotted path, or nullptr.
  [[nodiscard]] const Entry* find_path(std::string_view path) const;
  [[nodiscard]] Origin origin() const;
};

struct ConfigNode::Entry {
  std::string key;
  Place key_place;
  ConfigNode value;
};

/// The key at a dotted path, or the nearest section around it that is written; no place when there is none.
[[nodiscard]] Place nearest_place(const ConfigNode& root, std::string path);

/// "a list", "a map", "a value", "null": for messages.
[[nodiscard]] std::string_view describe_kind(const ConfigNode& node);

/// An ExitCode::config_invalid error at `place`.
[[nodiscard]] Error config_error(const Place& place, std::string message, std::string hint = {});

/// Puts `over` on top of `base`: maps are merged by key, everything else is replaced.
void merge_into(ConfigNode& base, ConfigNode over);

/// By file, line and column; errors without a place first, those of the command line last.
void sort_errors(Errors& errors);

}  // namespace ddp
