#pragma once

#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

inline constexpr std::string_view kRunDoc =
    "run id or unique prefix of it, run name, Slurm job id, or last; RUN/K is point K of a sweep";

/// Which run a name stands for when several have it.
enum class NameMeans {
  newest,    ///< of others that go on by their records a note is made
  live_one,  ///< for verbs that change runs: the only one that goes on, or the newest when none does; an
             ///< error with ExitCode::usage when there are more
};

/// The run that a word on the command line means; of a name the newest.
[[nodiscard]] Expected<RunPointer> find_run(const std::string& selector, const Context& context);

struct FoundRuns {
  std::vector<RunPointer> pointers;
  Errors errors;  ///< of the words that mean no run
};

/// Several, in the order of the words. An error only when the store cannot be read.
[[nodiscard]] Expected<FoundRuns> find_runs(const std::vector<std::string>& selectors, const Context& context,
                                            NameMeans meaning = NameMeans::newest);

/// The answer of a verb about several runs: their states, and the errors of the others. The exit code is the
/// highest of the errors.
[[nodiscard]] Outcome report_runs(std::string_view schema, const std::vector<KnownRun>& runs, Errors errors,
                                  Context& context);

}  // namespace ddp::cli
