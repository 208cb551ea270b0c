#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/source_text.hpp"

namespace ddp {

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
  std::vector<Entry> entries;  // clang takes no default here: it would need the size of Entry
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

/// Puts `over` on top of `base`: maps are merged by key, everything else is replaced.
void merge_into(ConfigNode& base, ConfigNode over);

/// By file, line and column; errors without a place first, those of the command line last.
void sort_errors(Errors& errors);

}  // namespace ddp
