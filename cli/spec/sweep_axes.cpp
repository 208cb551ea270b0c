#include "cli/spec/sweep_axes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "cli/launchers/launcher_row.hpp"
#include "cli/spec/field_writer.hpp"
#include "cli/spec/key_path.hpp"

namespace ddp::cli {
namespace {

struct FixedKey {
  std::string_view section;
  std::string_view reason;
};

constexpr std::string_view kOneArray = "all points are tasks of one Slurm array";
constexpr std::string_view kOneScript = "all points share one batch script and its environment";

// What becomes an option of sbatch, or a part of the batch script, or names the run itself.
constexpr std::array<FixedKey, 14> kFixedKeys{{
    {"name", "a sweep has one name"},
    {"include", "files are read before the points are made"},
    {"launcher", "a sweep has one launcher"},
    {"run_root", "a sweep has one folder"},
    {"sweep", "a sweep cannot contain a sweep"},
    {"sweep_options", "a sweep cannot contain a sweep"},
    {"resources", kOneArray},
    {"environment.inherit", kOneScript},
    {"environment.pass", kOneScript},
    {"environment.secrets", kOneScript},
    {"environment.setup", kOneScript},
    {"fault_tolerance.requeue", kOneArray},
    {"fault_tolerance.signal", kOneArray},
    {"fault_tolerance.signal_lead", kOneArray},
}};

/// Of `path`, or of a section that it stands for as a whole.
std::optional<FixedKey> find_fixed(std::string_view path) {
  const auto is_fixed = [path](const FixedKey& fixed) {
    return lies_in(path, fixed.section) || lies_in(fixed.section, path);
  };
  const auto row = std::ranges::find_if(kFixedKeys, is_fixed);
  if (row != kFixedKeys.end()) return *row;
  for (const auto* launcher : all_launchers()) {
    const FixedKey section{launcher->name, launcher->section_is_shared};
    if (!section.reason.empty() && is_fixed(section)) return section;
  }
  return std::nullopt;
}

/// Reads `sweep:`, whose keys are dotted paths, maps of maps, or both.
class AxisReader {
 public:
  explicit AxisReader(Errors& errors) : errors_(errors) {}

  std::vector<SweepAxis> read(const ConfigNode::Entry& sweep) {
    if (sweep.value.kind != ConfigNode::Kind::map) {
      leave_out(sweep.value.place, "'sweep' must be a map of lists", "write sweep: {train.seed: [1, 2]}");
      return {};
    }
    read_map(sweep.value, {});
    if (axes_.empty() && is_complete_)
      leave_out(sweep.key_place, "'sweep' has no key", "write sweep: {train.seed: [1, 2]}");
    limit_points(sweep.key_place);
    return std::move(axes_);
  }
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  void read_map(const ConfigNode& map, const std::string& section) {
    for (const ConfigNode::Entry& entry : map.entries) {
      const std::string key = section + entry.key;
      if (entry.value.kind == ConfigNode::Kind::map)
        read_map(entry.value, key + ".");
      else
        read_axis(key, entry);
    }
  }

  void read_axis(const std::string& key, const ConfigNode::Entry& entry) {
    if (const auto fixed = find_fixed(key)) {
      return leave_out(
          entry.key_place,
          "'" + key + "' cannot differ between the points of a sweep: " + std::string(fixed->reason),
          "start a separate run for each value");
    }
    if (entry.value.kind != ConfigNode::Kind::sequence || entry.value.items.empty()) {
      return leave_out(entry.value.place, "'" + key + "' needs a list of values",
                       "write " + key + ": [value, value]");
    }
    for (SweepAxis& other : axes_) {
      if (other.key == key && other.place.source != entry.key_place.source)
        return replace(other, entry);  // one is in a file, the other on the command line
      if (lies_in(key, other.key) || lies_in(other.key, key))
        return leave_out(entry.key_place, "'" + key + "' and '" + other.key + "' overlap",
                         "keep one of them");
    }
    axes_.push_back({key, entry.key_place, take_values(key, entry.value.items)});
  }

  /// Of `train: {seed: …}` and `train.seed: …` the one that was written in the later layer counts.
  void replace(SweepAxis& axis, const ConfigNode::Entry& entry) {
    if (entry.value.origin() <= axis.values.front().origin()) return;
    axis = {axis.key, entry.key_place, take_values(axis.key, entry.value.items)};
  }

  /// Each of them once.
  std::vector<ConfigNode> take_values(const std::string& key, const std::vector<ConfigNode>& values) {
    std::vector<ConfigNode> taken;
    std::set<std::string> seen;
    for (const ConfigNode& value : values) {
      const std::string text = render_node(value);
      if (seen.insert(text).second)
        taken.push_back(value);
      else
        report(value.place, "'" + key + "' has the value " + text + " twice", "each point is run once");
    }
    return taken;
  }

  /// Axes beyond the limit keep their first value.
  void limit_points(const Place& place) {
    std::size_t points = 1;
    bool is_over = false;
    for (SweepAxis& axis : axes_) {
      if (points * axis.values.size() > kMaxSweepPoints) {
        is_over = true;
        axis.values.resize(1);
      }
      points *= axis.values.size();
    }
    if (is_over)
      report(place, "the sweep has more than " + std::to_string(kMaxSweepPoints) + " points",
             "sweep over fewer values");
  }

  /// An error of a key that has no axis then.
  void leave_out(const Place& place, std::string message, std::string hint) {
    is_complete_ = false;
    report(place, std::move(message), std::move(hint));
  }

  void report(const Place& place, std::string message, std::string hint) {
    errors_.push_back(config_error(place, std::move(message), std::move(hint)));
  }

  std::vector<SweepAxis> axes_;
  bool is_complete_ = true;
  Errors& errors_;
};

/// Puts `value` at the dotted path `key`. What that adds to the tree is written at the value's place.
void put(ConfigNode& map, std::string_view key, const ConfigNode& value) {
  if (map.kind != ConfigNode::Kind::map)
    map = {.kind = ConfigNode::Kind::map, .entries = {}, .place = value.place};
  const auto dot = key.find('.');
  const auto name = key.substr(0, dot);
  auto entry = std::ranges::find(map.entries, name, &ConfigNode::Entry::key);
  if (entry == map.entries.end())
    entry = map.entries.insert(entry, {std::string(name), value.place, ConfigNode{}});
  if (dot != key.npos) return put(entry->value, key.substr(dot + 1), value);
  entry->key_place = value.place;
  merge_into(entry->value, value);
}

using Spot = std::tuple<std::string, int, int>;

Spot spot_of(const std::optional<SourceMark>& mark) {
  return mark ? Spot(mark->file, mark->line, mark->column) : Spot();
}

}  // namespace

bool can_be_swept(std::string_view path) {
  return !find_fixed(path);
}

SweepAxes SweepAxes::take(ConfigNode& root, Errors& errors) {
  SweepAxes sweep;
  const auto entry = std::ranges::find(root.entries, kSweepKey, &ConfigNode::Entry::key);
  if (entry == root.entries.end()) return sweep;
  AxisReader reader(errors);
  if (entry->value.kind != ConfigNode::Kind::null) sweep.axes_ = reader.read(*entry);
  sweep.is_complete_ = reader.is_complete();
  root.entries.erase(entry);
  return sweep;
}

std::size_t SweepAxes::points() const {
  if (axes_.empty()) return 0;
  std::size_t points = 1;
  for (const SweepAxis& axis : axes_) points *= axis.values.size();
  return points;
}

const ConfigNode& SweepAxes::value_at(std::size_t axis, std::size_t point) const {
  std::size_t stride = 1;
  for (std::size_t faster = axis + 1; faster < axes_.size(); ++faster) stride *= axes_[faster].values.size();
  return axes_[axis].values[point / stride % axes_[axis].values.size()];
}

ConfigNode SweepAxes::tree_of(std::size_t point, const ConfigNode& root) const {
  ConfigNode tree = root;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) put(tree, axes_[axis].key, value_at(axis, point));
  return tree;
}

std::vector<NamedList> SweepAxes::to_lists() const {
  std::vector<NamedList> lists;
  for (const SweepAxis& axis : axes_) {
    NamedList& list = lists.emplace_back(NamedList{axis.key, {}});
    for (const ConfigNode& value : axis.values) list.values.push_back(render_node(value));
  }
  return lists;
}

Errors SweepAxes::combine(Errors errors) const {
  std::map<std::pair<std::string, Spot>, Error> once;
  std::map<std::string, std::set<Spot>> spots;  // message -> where it is said
  for (Error& error : errors) {
    const Spot spot = spot_of(error.where);
    spots[error.message].insert(spot);
    once.emplace(std::pair(error.message, spot), std::move(error));
  }
  for (const SweepAxis& axis : axes_) {
    for (const auto& [message, where] : spots) {
      const auto is_said_of = [&where](const ConfigNode& value) {
        return where.contains(spot_of(value.place.mark()));
      };
      if (axis.values.size() < 2 || !std::ranges::all_of(axis.values, is_said_of)) continue;
      Error error = once.at({message, spot_of(axis.values.front().place.mark())});
      for (const ConfigNode& value : axis.values) once.erase({message, spot_of(value.place.mark())});
      error.where = axis.place.mark();
      once.insert_or_assign({message, spot_of(error.where)}, std::move(error));
    }
  }
  Errors combined;
  for (auto& [key, error] : once) combined.push_back(std::move(error));
  sort_errors(combined);
  return combined;
}

}  // namespace ddp::cli
