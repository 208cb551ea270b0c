#include "cli/commands/complete/completers.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/commands/complete/complete_assignment.hpp"
#include "cli/commands/complete/complete_path.hpp"
#include "cli/commands/complete/complete_ranks.hpp"
#include "cli/commands/complete/complete_run.hpp"
#include "cli/commands/complete/scripts.hpp"
#include "cli/launchers/launcher_row.hpp"
#include "jobenv/record/run_state.hpp"

namespace ddp::cli {
namespace {

/// The state behind the last comma; those that stand before it are not proposed again.
Candidates complete_states(const Question& question) {
  const auto comma = question.begin.rfind(',');
  const auto settled = question.begin.substr(0, comma == question.begin.npos ? 0 : comma + 1);
  Candidates candidates;
  for (const auto& state : run_state_names()) {
    auto word = settled + std::string(state);
    const bool is_given = ("," + settled).find("," + std::string(state) + ",") != std::string::npos;
    if (!is_given && word.starts_with(question.begin)) candidates.push_back({std::move(word), {}});
  }
  return candidates;
}

Candidates complete_shell(const Question& question) {
  Candidates candidates;
  for (const auto& script : completion_scripts()) {
    if (script.shell.starts_with(question.begin)) candidates.push_back({std::string(script.shell), {}});
  }
  return candidates;
}

Candidates complete_launcher(const Question& question) {
  Candidates candidates;
  for (const auto* launcher : all_launchers()) {
    if (launcher->name.starts_with(question.begin)) candidates.push_back({std::string(launcher->name), {}});
  }
  return candidates;
}

Candidates complete_config_file(const Question& question) {
  return complete_path(question.begin, Wanted::yaml_files, question.context);
}

Candidates complete_file(const Question& question) {
  return complete_path(question.begin, Wanted::files, question.context);
}

Candidates complete_folder(const Question& question) {
  return complete_path(question.begin, Wanted::folders, question.context);
}

/// Runs, and paths.
Candidates complete_checkpoint(const Question& question) {
  auto candidates = complete_run(question);
  auto paths = complete_path(question.begin, Wanted::files, question.context);
  std::ranges::move(paths, std::back_inserter(candidates));
  return candidates;
}

struct Completer {
  WordKind kind;
  Candidates (*complete)(const Question& question);
};

constexpr std::array kCompleters = {
    Completer{WordKind::run, complete_run},
    Completer{WordKind::open_run, complete_open_run},
    Completer{WordKind::run_name, complete_run_name},
    Completer{WordKind::ranks, complete_ranks},
    Completer{WordKind::config_file, complete_config_file},
    Completer{WordKind::assignment, complete_assignment},
    Completer{WordKind::change, complete_change},
    Completer{WordKind::states, complete_states},
    Completer{WordKind::shell, complete_shell},
    Completer{WordKind::launcher, complete_launcher},
    Completer{WordKind::checkpoint, complete_checkpoint},
    Completer{WordKind::folder, complete_folder},
    Completer{WordKind::file, complete_file},
};

}  // namespace

Candidates complete_word(WordKind kind, const Question& question) {
  for (const auto& completer : kCompleters) {
    if (completer.kind == kind) return completer.complete(question);
  }
  return {};
}

}  // namespace ddp::cli
