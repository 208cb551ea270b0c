#include "cli/import/set_up_lines.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/import/line_idioms.hpp"
#include "cli/import/secret_words.hpp"
#include "cli/spec/field_writer.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

using Kind = ScriptStep::Kind;

constexpr std::string_view kThreads = "OMP_NUM_THREADS";

bool is_secret(const ScriptStep& step) {
  return step.kind == Kind::assignment && !step.value.empty() && is_secret_name(step.name);
}

bool differs_by_task(const ScriptStep& step) {
  return step.is_exported && !step.may_change && has_symbol(step.value, SymbolKind::swept);
}

bool is_thread_count(const ScriptStep& step) {
  return step.is_exported && step.name == kThreads && is_known(step.value);
}

std::string line_comment(const ScriptStep& step) {
  return step.first == step.last ? fmt::format("line {}", step.first)
                                 : fmt::format("lines {}-{}", step.first, step.last);
}

bool mentions(std::string_view text, std::string_view name) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool is_whole = (at == 0 || !is_letter(static_cast<unsigned char>(text[at - 1]))) &&
                          (end == text.size() || !is_letter(static_cast<unsigned char>(text[end])));
    if (is_whole) return true;
  }
  return false;
}

class StepSorter {
 public:
  StepSorter(const std::vector<ScriptStep>& steps, const NeededVariables& needed, ConfigDocument& document,
             Errors& errors)
      : steps_(steps), needed_(needed), document_(document), errors_(errors) {}

  void sort() {
    find_hidden();
    choose_kept();
    for (std::size_t index = 0; index < steps_.size(); ++index) place_step(index);
    export_expanded();
  }

 private:
  /// Secrets, and the variables that their values come from.
  void find_hidden() {
    for (std::size_t index = steps_.size(); index-- > 0;) {
      const auto& step = steps_[index];
      if (step.kind != Kind::assignment || (!is_secret(step) && !hidden_.contains(step.name))) continue;
      hidden_.insert(step.name);
      if (step.is_replaceable) hidden_.insert(step.uses.begin(), step.uses.end());
    }
  }

  /// Its value must not be in the YAML.
  [[nodiscard]] bool is_hidden(const ScriptStep& step) const {
    return step.kind == Kind::assignment && is_known(step.value) && !step.value.empty() &&
           hidden_.contains(step.name);
  }

  /// From the last step to the first: a step is kept for what follows it.
  void choose_kept() {
    kept_.assign(steps_.size(), false);
    std::set<std::string> used;
    for (const auto& name : needed_.expanded)
      if (reason_of_exported(name).empty()) used.insert(name);
    for (std::size_t index = steps_.size(); index-- > 0;) {
      const auto& step = steps_[index];
      kept_[index] = is_kept(step, used);
      if (!kept_[index]) continue;
      has_kept_ = true;
      used.insert(step.uses.begin(), step.uses.end());
      check_task(step);
    }
  }

  [[nodiscard]] bool is_kept(const ScriptStep& step, const std::set<std::string>& used) const {
    switch (step.kind) {
      case Kind::command:
        return true;
      case Kind::folder:
        return has_kept_;
      case Kind::assignment:
        break;
    }
    if (is_secret(step) || is_hidden(step)) return false;
    if (used.contains(step.name)) return true;
    if (!step.is_exported || differs_by_task(step) || is_thread_count(step)) return false;
    if (!reason_of_exported(step.name).empty()) return false;
    const bool is_value = step.is_replaceable && is_known(step.value) && !is_set_by_slurm(step.name);
    return !is_value || has_kept_command(step);
  }

  /// Whether a command that is kept follows: it may need the variable, or change it.
  [[nodiscard]] bool has_kept_command(const ScriptStep& step) const {
    return std::ranges::any_of(
        steps_, [&](const ScriptStep& other) { return other.kind == Kind::command && &other > &step; });
  }

  void check_task(const ScriptStep& step) {
    const bool depends =
        std::ranges::any_of(step.uses,
                            [](const std::string& name) { return name.starts_with("SLURM_ARRAY_TASK_"); }) ||
        has_symbol(step.value, SymbolKind::swept) ||
        std::ranges::any_of(step.words,
                            [](const PlacedWord& word) { return has_symbol(word.text, SymbolKind::swept); });
    if (!depends || needed_.counts_from_zero) return;
    errors_.push_back(
        config_error(step.place, "a set-up line depends on SLURM_ARRAY_TASK_ID, which counts from 0 here",
                     "number the array from 0, or use the number only in the arguments of srun"));
  }

  void check_tabs(const ScriptStep& step) {
    if (step.text.find('\t') == std::string::npos) return;
    errors_.push_back(
        config_error(step.place, "a set-up line must not have a tab", "write blanks in its place"));
  }

  void place_step(std::size_t index) {
    const auto& step = steps_[index];
    if (kept_[index]) {
      check_tabs(step);
      document_.setup.push_back({text_of(step), line_comment(step)});
      return;
    }
    if (step.kind == Kind::folder) return add_note(step, "each rank changes into it: see command");
    if (is_secret(step) && (step.is_exported || is_used(step))) return place_secret(step);
    if (is_secret(step)) return add_note(step, "no other line that is kept uses it");
    if (is_hidden(step) && is_used(step)) return place_secret(step);
    if (const auto reason = reason_of(step)) return add_note(step, *reason);
    document_.set_entry("environment.set", step.name, render_text(step.value), line_comment(step));
  }

  /// The numbers of Slurm are those of the ranks here: where torchrun started them, the script saw others.
  static std::string text_of(const ScriptStep& step) {
    const bool is_number =
        step.kind == Kind::assignment && step.is_replaceable && is_known(step.value) &&
        std::ranges::any_of(step.uses, [](const std::string& name) { return name.starts_with("SLURM_"); });
    if (!is_number) return step.text;
    return (step.is_exported ? "export " : "") + step.name + "=" + quote_for_shell(step.value);
  }

  /// Whether a line that is kept, or the command, uses the variable.
  [[nodiscard]] bool is_used(const ScriptStep& step) const {
    if (needed_.expanded.contains(step.name)) return true;
    for (std::size_t index = 0; index < steps_.size(); ++index)
      if (kept_[index] && steps_[index].uses.contains(step.name)) return true;
    return false;
  }

  void place_secret(const ScriptStep& step) { document_.add_secret(step.name, line_comment(step)); }

  /// Why an assignment needs no line; nullopt: it is a variable of the ranks.
  [[nodiscard]] std::optional<std::string> reason_of(const ScriptStep& step) const {
    if (step.is_exported && !reason_of_exported(step.name).empty())
      return std::string(reason_of_exported(step.name));
    if (differs_by_task(step)) return "each point of the sweep has its value: see command";
    if (is_thread_count(step)) {
      return step.value == std::to_string(needed_.cpus_per_task) ? "each rank gets the value of cpus_per_task"
                                                                 : "each rank gets it: see command";
    }
    if (step.is_exported) return std::nullopt;
    if (has_symbol(step.value, SymbolKind::address)) return "ddpsubmit finds the first node itself";
    if (needed_.mentioned.contains(step.name)) return "its value is in the command";
    return "no other line that is kept uses it";
  }

  void add_note(const ScriptStep& step, std::string reason) {
    document_.notes.push_back(
        {step.first, step.last, is_hidden(step) ? step.name + "=…" : step.text, std::move(reason)});
  }

  /// What the shell of a rank expands has to be in its environment.
  void export_expanded() {
    std::vector<std::string> names;
    const bool reads_others = std::ranges::any_of(steps_, [](const ScriptStep& step) {
      return step.kind == Kind::command && !step.words.empty() && reads_other_lines(step.words[0].text);
    });
    const auto is_mentioned = [this](const std::string& name) {
      return std::ranges::any_of(steps_, [&](const ScriptStep& step) {
        return step.kind == Kind::command && mentions(step.text, name);
      });
    };
    for (const auto& name : needed_.expanded) {
      const auto sets_it = [&](const ScriptStep& step) {
        return step.kind == Kind::assignment && step.name == name;
      };
      const auto set = std::ranges::find_if(steps_, sets_it);
      const bool is_here = set != steps_.end();
      const bool may_be_set = (reads_others || is_mentioned(name)) && name != "HOME" && name != "USER" &&
                              name != "LOCAL_RANK" && !name.starts_with("SLURM_");
      if (is_here ? (!set->is_exported && reason_of_exported(name).empty())
                  : (may_be_set && reason_of_exported(name).empty()))
        names.push_back(name);
    }
    if (names.empty()) return;
    document_.setup.push_back({fmt::format("export {}", fmt::join(names, " ")), "for the command"});
  }

  const std::vector<ScriptStep>& steps_;
  const NeededVariables& needed_;
  ConfigDocument& document_;
  Errors& errors_;
  std::vector<bool> kept_;
  bool has_kept_ = false;
  std::set<std::string> hidden_;
};

}  // namespace

CommandVariables variables_of_command(const std::vector<ScriptStep>& steps, int cpus_per_task) {
  CommandVariables variables;
  for (const auto& step : steps) {
    if (step.kind != Kind::assignment || is_secret(step)) continue;
    const bool has_other_count = is_thread_count(step) && step.value != std::to_string(cpus_per_task);
    if (differs_by_task(step) || has_other_count) variables.emplace_back(step.name, step.value);
  }
  return variables;
}

void sort_steps(const std::vector<ScriptStep>& steps, const NeededVariables& needed, ConfigDocument& document,
                Errors& errors) {
  StepSorter(steps, needed, document, errors).sort();
}

}  // namespace ddp::cli
