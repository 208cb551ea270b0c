#include "cli/commands/complete/complete_assignment.hpp"

#include <algorithm>
#include <map>

#include "cli/commands/complete/complete_path.hpp"
#include "cli/commands/start/load_config.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/spec/changeable_keys.hpp"
#include "cli/spec/component_keys.hpp"
#include "cli/spec/include_path.hpp"
#include "cli/spec/spec_layers.hpp"
#include "cli/spec/sweep_axes.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kInclude = "+include=";

/// What the files and the arguments say so far; an empty map while they cannot be read.
ConfigNode load_so_far(const Question& question) {
  if (!question.config_file) return {};
  auto tree = merge_layers({.file = *question.config_file,
                            .arguments = question.assignments,
                            .environment = question.context.environment,
                            .current_folder = question.context.current_folder,
                            .installed_folder = installed_configs(question.context)});
  return tree ? std::move(*tree) : ConfigNode{};
}

/// Of a training whose file is not known, or does not say it: any component.
ChosenComponents find_components(const ConfigNode& root) {
  ChosenComponents chosen;
  for (const std::string section :
       {"train.model", "train.data", "train.optimizer", "train.schedule", "train.loss"}) {
    const auto* name = root.find_path(section + ".name");
    if (name != nullptr && !name->value.scalar.empty()) chosen.emplace(section, name->value.scalar);
  }
  return chosen;
}

Candidates put_behind(const std::string& settled, Candidates candidates) {
  for (auto& candidate : candidates) candidate.word.insert(0, settled);
  return candidates;
}

/// All keys, of which a line can have some.
class Keys {
 public:
  using MayTake = bool (*)(std::string_view path);

  Keys(const Question& question, MayTake may_take) : question_(question), root_(load_so_far(question)) {
    const auto common = common_keys();
    for (const auto& section : common.sections()) docs_[section.path + "."] = section.doc;
    rows_ = all_keys(find_components(root_));
    std::erase_if(rows_, [&](const KeyRow& row) {
      return row.path.find('[') != std::string::npos || !may_take(row.path);
    });
  }

  [[nodiscard]] Candidates complete_key(const std::string& begin) const {
    const auto sweep = std::string(kSweepKey) + ".";
    const bool has_sweep = std::ranges::find(rows_, kSweepKey, &KeyRow::path) != rows_.end();
    if (has_sweep && begin.starts_with(sweep))
      return put_behind(sweep, complete_step(begin.substr(sweep.size()), can_be_swept));
    return complete_step(begin, [](std::string_view) { return true; });
  }

  [[nodiscard]] Candidates complete_value(const std::string& key, const std::string& begin) const {
    const auto row = std::ranges::find(rows_, key, &KeyRow::path);
    if (row == rows_.end()) return {};
    if (row->type == KeyType::path) return complete_path(begin, Wanted::files, question_.context);
    Candidates candidates;
    for (const auto& word : row->words) {
      if (word.starts_with(begin)) candidates.push_back({word, word == row->default_value ? "default" : ""});
    }
    for (auto& word : ask_launcher(key)) {
      if (word.starts_with(begin)) candidates.push_back({std::move(word), {}});
    }
    return candidates;
  }

 private:
  /// Of the keys that `is_wanted`.
  [[nodiscard]] Candidates complete_step(const std::string& begin, MayTake is_wanted) const {
    Candidates candidates;
    for (const auto& row : rows_) {
      if (!is_wanted(row.path)) continue;
      if (row.type == KeyType::map)
        add_map(row, begin, candidates);
      else if (row.path.starts_with(begin))
        add(next_step(row, begin), candidates);
    }
    return candidates;
  }

  /// The key with '=', or its section up to the first dot behind what is typed.
  [[nodiscard]] Candidate next_step(const KeyRow& row, const std::string& begin) const {
    const auto dot = row.path.find('.', begin.size());
    if (dot == row.path.npos) return {row.path + "=", row.doc};
    const auto section = row.path.substr(0, dot + 1);
    const auto doc = docs_.find(section);
    return {section, doc == docs_.end() ? std::string() : doc->second};
  }

  /// Below it the user chooses the keys: those that the files have so far.
  void add_map(const KeyRow& row, const std::string& begin, Candidates& candidates) const {
    const auto section = row.path + ".";
    if (!begin.starts_with(section)) {
      KeyRow whole = row;
      whole.path = section;
      if (section.starts_with(begin)) {
        auto step = next_step(whole, begin);
        if (step.doc.empty()) step.doc = row.doc;
        add(std::move(step), candidates);
      }
      return;
    }
    const auto* map = root_.find_path(row.path);
    if (map == nullptr) return;
    for (const auto& entry : map->value.entries) {
      auto word = section + entry.key + "=";
      if (word.starts_with(begin)) add({std::move(word), {}}, candidates);
    }
  }

  static void add(Candidate candidate, Candidates& candidates) {
    if (std::ranges::find(candidates, candidate.word, &Candidate::word) == candidates.end())
      candidates.push_back(std::move(candidate));
  }

  /// What only the scheduler knows, of a key in the section of its launcher.
  [[nodiscard]] std::vector<std::string> ask_launcher(const std::string& key) const {
    const auto dot = key.find('.');
    const auto* launcher = dot == key.npos ? nullptr : find_launcher(key.substr(0, dot));
    if (launcher == nullptr || launcher->propose_values == nullptr) return {};
    return launcher->propose_values(key.substr(dot + 1),
                                    {question_.context.system, question_.context.environment});
  }

  const Question& question_;
  ConfigNode root_;
  std::vector<KeyRow> rows_;
  std::map<std::string, std::string> docs_;  ///< of sections, with a dot behind them
};

/// Presets, and files of the current folder.
Candidates complete_include(const std::string& begin, const Context& context) {
  const IncludePath include_path(user_config_folder(context.environment), installed_configs(context));
  Candidates candidates;
  for (auto& name : include_path.presets()) {
    if (name.starts_with(begin)) candidates.push_back({std::move(name), "preset"});
  }
  for (auto& file : complete_path(begin, Wanted::yaml_files, context)) candidates.push_back(std::move(file));
  return candidates;
}

Candidates complete_with(const Question& question, Keys::MayTake may_take) {
  const auto equals = question.begin.find('=');
  const Keys keys(question, may_take);
  if (equals == question.begin.npos) return keys.complete_key(question.begin);
  return put_behind(question.begin.substr(0, equals + 1),
                    keys.complete_value(question.begin.substr(0, equals), question.begin.substr(equals + 1)));
}

/// It cannot be set by an argument.
bool is_no_include(std::string_view path) {
  return path != "include";
}

}  // namespace

Candidates complete_assignment(const Question& question) {
  if (question.begin.starts_with(kInclude)) {
    return put_behind(std::string(kInclude),
                      complete_include(question.begin.substr(kInclude.size()), question.context));
  }
  auto candidates = complete_with(question, is_no_include);
  if (kInclude.starts_with(question.begin))
    candidates.push_back(
        {std::string(kInclude), "include another file; its values win over those of the configuration"});
  return candidates;
}

Candidates complete_change(const Question& question) {
  return complete_with(question, may_change);
}

}  // namespace ddp::cli
