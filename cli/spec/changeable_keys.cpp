#include "cli/spec/changeable_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/launchers/launcher_row.hpp"
#include "cli/spec/key_path.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

/// Keys, or sections as a whole. They change neither the model nor the data nor the ranks. Where the learning
/// rate follows the number of steps, epochs and max_steps change that of the steps to come. What `args`
/// change is the program's affair: it resumes by itself.
constexpr std::array<std::string_view, 13> kChangeableKeys{"train.epochs",
                                                           "train.max_steps",
                                                           "train.checkpoint.every_epochs",
                                                           "train.checkpoint.every_steps",
                                                           "train.checkpoint.every",
                                                           "train.checkpoint.keep",
                                                           "train.checkpoint.keep_best",
                                                           "train.evaluate",
                                                           "train.log",
                                                           "args",
                                                           "resources.time",
                                                           "fault_tolerance",
                                                           "notify"};

constexpr std::size_t kMostTypos = 2;

constexpr const char* kNewRunOfOneValue =
    "to start a run with one value: ddpsubmit run CONFIG sweep=null KEY=VALUE";

struct FixedSection {
  std::string_view section;
  std::string_view reason;
};

/// The first section that contains a key gives the reason. A key in none of them does not exist.
constexpr std::array<FixedSection, 13> kFixedSections{{
    {"train.checkpoint", "it decides where the training starts"},
    {"train", "the checkpoints of the run were made with its present value"},
    {"command", "a different command makes a different run"},
    {"resources", "the run resumes with the same ranks"},
    {"rendezvous", "the run resumes with the same ranks"},
    {"environment", "the program would run in a different environment"},
    {"launcher", "a run keeps its launcher"},
    {"name", "the run folder is named after it"},
    {"run_root", "the run folder is in it"},
    {"include", "included files are read only when a run is first started"},
    {"+include", "included files are read only when a run is first started"},
    {"sweep", "the points of a sweep are fixed when it is first started"},
    {"sweep_options", "the points of a sweep are fixed when it is first started"},
}};

class ChangeChecks {
 public:
  ChangeChecks(const RunToChange& run, Errors& errors) : run_(run), errors_(errors) {
    for (const auto key : kChangeableKeys)
      if (!lies_in(key, other_section())) changeable_.emplace_back(key);
    if (const auto* launcher = find_launcher(run_.launcher))
      for (const auto key : launcher->changeable_keys) changeable_.emplace_back(key);
  }

  void check(const ConfigNode& map, const std::string& section) {
    for (const ConfigNode::Entry& entry : map.entries) check(entry, section + entry.key);
  }

 private:
  void check(const ConfigNode::Entry& entry, const std::string& path) {
    const bool has_keys = entry.value.kind == ConfigNode::Kind::map && !entry.value.entries.empty();
    if (has_keys) return check(entry.value, path + ".");
    if (is_swept(path))
      refuse(path, "the sweep sets it for each point", kNewRunOfOneValue, entry.key_place);
    else if (!is_changeable(path))
      refuse(path, explain_fixed(path), advise(path), entry.key_place);
  }

  /// Which the program of the run does not have.
  [[nodiscard]] std::string_view other_section() const {
    return run_.program == "train" ? std::string_view("args") : std::string_view("train");
  }

  [[nodiscard]] bool is_swept(std::string_view path) const {
    return std::ranges::any_of(
        run_.swept, [&](const std::string& key) { return lies_in(path, key) || lies_in(key, path); });
  }

  [[nodiscard]] bool is_changeable(std::string_view path) const {
    return std::ranges::any_of(changeable_, [&](const std::string& key) { return lies_in(path, key); });
  }

  [[nodiscard]] std::string explain_fixed(std::string_view path) const {
    if (lies_in(path, other_section()))
      return "the run has a '" + run_.program + "', which does not have this key";
    for (const auto* launcher : all_launchers())
      if (lies_in(path, launcher->name)) return "a run stays on the machines that it was started on";
    const auto* const fixed = std::ranges::find_if(
        kFixedSections, [&](const FixedSection& row) { return lies_in(path, row.section); });
    return fixed == kFixedSections.end() ? "there is no such key" : std::string(fixed->reason);
  }

  [[nodiscard]] std::string advise(std::string_view path) const {
    const auto meant = std::ranges::find_if(
        changeable_, [&](const std::string& key) { return edit_distance(path, key) <= kMostTypos; });
    if (meant != changeable_.end()) return "did you mean '" + *meant + "'?";
    return "a rerun can change these keys:\n" + render_changeable() +
           "  to start a new run: ddpsubmit run CONFIG KEY=VALUE" + advise_on_checkpoint();
  }

  /// A program resumes by itself.
  [[nodiscard]] std::string advise_on_checkpoint() const {
    return run_.program == "train" ? "\n  to start it from the newest checkpoint of this run, add "
                                     "train.checkpoint.path=RUN_FOLDER"
                                   : "";
  }

  /// A line for the keys of each section.
  [[nodiscard]] std::string render_changeable() const {
    std::string text;
    std::string_view section;
    for (const std::string_view key : changeable_) {
      const auto own = key.substr(0, std::min(key.rfind('.'), key.size()));
      text += text.empty() ? "    " : own == section ? ", " : "\n    ";
      text += key;
      section = own;
    }
    return text + "\n";
  }

  void refuse(const std::string& path, const std::string& reason, const std::string& hint,
              const Place& place) {
    errors_.push_back(config_error(place, "'" + path + "' cannot change in a rerun: " + reason, hint));
    errors_.back().code = ExitCode::usage;
  }

  const RunToChange& run_;
  Errors& errors_;
  std::vector<std::string> changeable_;
};

}  // namespace

void check_changes(const ConfigNode& changes, const RunToChange& run, Errors& errors) {
  ChangeChecks(run, errors).check(changes, {});
}

bool may_change(std::string_view path) {
  const auto holds = [&](std::string_view key) { return lies_in(path, key); };
  return std::ranges::any_of(kChangeableKeys, holds) ||
         std::ranges::any_of(all_launchers(), [&](const LauncherRow* launcher) {
           return std::ranges::any_of(launcher->changeable_keys, holds);
         });
}

}  // namespace ddp::cli
