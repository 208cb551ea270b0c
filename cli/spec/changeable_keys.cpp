#include "cli/spec/changeable_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/spec/key_path.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

/// Keys, or sections as a whole. They change neither the model nor the data nor the ranks. Where the learning
/// rate follows the number of steps, epochs and max_steps change that of the steps to come.
constexpr std::array<std::string_view, 11> kChangeableKeys{"train.epochs",
                                                           "train.max_steps",
                                                           "train.checkpoint.every_epochs",
                                                           "train.checkpoint.every_steps",
                                                           "train.checkpoint.every",
                                                           "train.checkpoint.keep",
                                                           "train.checkpoint.keep_best",
                                                           "train.evaluate",
                                                           "train.log",
                                                           "resources.time",
                                                           "fault_tolerance"};

constexpr std::size_t kMostTypos = 2;

struct FixedSection {
  std::string_view section;
  std::string_view reason;
};

/// The first one that a key lies in tells why; what is in none is no key.
constexpr std::array<FixedSection, 16> kFixedSections{{
    {"train.checkpoint", "it decides where the training begins"},
    {"train", "the checkpoints of the run were made with the value that it has"},
    {"command", "another command is another run"},
    {"args", "another command is another run"},
    {"resources", "the run goes on with the ranks that it had"},
    {"rendezvous", "the run goes on with the ranks that it had"},
    {"environment", "the program would find another environment than before"},
    {"launcher", "the run belongs to its launcher"},
    {"slurm", "the run belongs to its cluster"},
    {"ssh", "the run belongs to its hosts"},
    {"name", "the folder of the run is named after it"},
    {"run_root", "the folder of the run is there"},
    {"include", "the files of a run are read when it is started first"},
    {"+include", "the files of a run are read when it is started first"},
    {"sweep", "the points of a sweep are made when it is started first"},
    {"sweep_options", "the points of a sweep are made when it is started first"},
}};

bool is_changeable(std::string_view path) {
  return std::ranges::any_of(kChangeableKeys, [&](std::string_view key) { return lies_in(path, key); });
}

/// The changeable key that `path` may be a typo of; empty: there is none.
std::string_view find_meant(std::string_view path) {
  const auto* const meant = std::ranges::find_if(
      kChangeableKeys, [&](std::string_view key) { return edit_distance(path, key) <= kMostTypos; });
  return meant == kChangeableKeys.end() ? std::string_view() : *meant;
}

std::string advise(std::string_view path) {
  if (const auto meant = find_meant(path); !meant.empty())
    return "did you mean '" + std::string(meant) + "'?";
  const std::vector<std::string> names(kChangeableKeys.begin(), kChangeableKeys.end());
  return "a rerun takes other values of " + join_words(names, " and ") +
         "; for a run of its own: ddpsubmit run CONFIG KEY=VALUE";
}

std::string explain_fixed(std::string_view path) {
  const auto* const fixed = std::ranges::find_if(
      kFixedSections, [&](const FixedSection& row) { return lies_in(path, row.section); });
  return fixed == kFixedSections.end() ? "there is no such key" : std::string(fixed->reason);
}

Error refuse_change(const std::string& path, const std::string& reason, const Place& place) {
  Error error = config_error(place, "'" + path + "' cannot change in a rerun: " + reason, advise(path));
  error.code = ExitCode::usage;
  return error;
}

class ChangeChecks {
 public:
  ChangeChecks(const std::vector<std::string>& swept, Errors& errors) : swept_(swept), errors_(errors) {}

  void check(const ConfigNode& map, const std::string& section) {
    for (const ConfigNode::Entry& entry : map.entries) check(entry, section + entry.key);
  }

 private:
  void check(const ConfigNode::Entry& entry, const std::string& path) {
    const bool has_keys = entry.value.kind == ConfigNode::Kind::map && !entry.value.entries.empty();
    if (has_keys) return check(entry.value, path + ".");
    if (is_swept(path))
      errors_.push_back(refuse_change(path, "it is a key of the sweep", entry.key_place));
    else if (!is_changeable(path))
      errors_.push_back(refuse_change(path, explain_fixed(path), entry.key_place));
  }

  [[nodiscard]] bool is_swept(std::string_view path) const {
    return std::ranges::any_of(
        swept_, [&](const std::string& key) { return lies_in(path, key) || lies_in(key, path); });
  }

  const std::vector<std::string>& swept_;
  Errors& errors_;
};

}  // namespace

void check_changes(const ConfigNode& changes, const std::vector<std::string>& swept, Errors& errors) {
  ChangeChecks(swept, errors).check(changes, {});
}

}  // namespace ddp::cli
