#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"

namespace ddp::cli {

inline constexpr std::size_t kMaxSweepPoints = 10'000;
inline constexpr std::string_view kSweepKey = "sweep";

/// Whether the key, or the section as a whole, may differ between the points of a sweep.
[[nodiscard]] bool can_be_swept(std::string_view path);

/// One key of a sweep and the values that it takes.
struct SweepAxis {
  std::string key;  ///< dotted path
  Place place;      ///< of the key
  std::vector<ConfigNode> values;
};

/// The axes of `sweep:` in the order in which they are written; the points are all combinations of their
/// values, the first axis varies slowest.
class SweepAxes {
 public:
  /// Takes `sweep` out of the tree of a whole configuration; without it there are no axes. Adds to `errors`:
  /// keys that cannot differ between points, keys that overlap, lists without values, values that a list has
  /// twice, too many points. What is left can be read, so that other errors are found, too.
  [[nodiscard]] static SweepAxes take(ConfigNode& root, Errors& errors);

  /// Whether every key that is written has an axis.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] bool empty() const { return axes_.empty(); }
  [[nodiscard]] std::size_t points() const;
  /// `root` with the values of a point in it, each at its place in the sweep.
  [[nodiscard]] ConfigNode tree_of(std::size_t point, const ConfigNode& root) const;
  /// Keys, and their values as they stand in YAML.
  [[nodiscard]] std::vector<NamedList> to_lists() const;
  [[nodiscard]] const std::vector<SweepAxis>& list() const { return axes_; }

  /// The errors of all points, each of them once. What is wrong with every value of an axis is wrong with its
  /// key.
  [[nodiscard]] Errors combine(Errors errors) const;

 private:
  [[nodiscard]] const ConfigNode& value_at(std::size_t axis, std::size_t point) const;

  std::vector<SweepAxis> axes_;
  bool is_complete_ = true;
};

}  // namespace ddp::cli
