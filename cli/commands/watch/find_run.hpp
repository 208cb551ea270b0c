#pragma once

#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

inline constexpr std::string_view kRunDoc =
    "run id or unique prefix of it, run name, Slurm job id, or last; RUN/K is point K of a sweep";

/// The same for verbs that stop or delete runs.
inline constexpr std::string_view kChangedRunDoc =
    "run id or unique prefix of it that is longer than the run's name and dash, run name, Slurm job id, or "
    "last; RUN/K is point K of a sweep";

/// What is done with the runs that words name. What stops or deletes a run does not take a prefix of an id
/// that is only the beginning of the run's name (Prefixes::beyond_name).
enum class RunUse {
  read,    ///< a name stands for the newest of its runs; of others that go on by their records a note is made
  stop,    ///< a name stands for the only one of its runs that goes on, or for the newest when none does; an
           ///< error with ExitCode::usage when there are more
  remove,  ///< a name stands for the newest of its runs
};

/// The run that a word on the command line means; of a name the newest.
[[nodiscard]] Expected<RunPointer> find_run(const std::string& selector, const Context& context);

struct FoundRuns {
  std::vector<RunPointer> pointers;
  Errors errors;  ///< of the words that mean no run
};

/// Several, in the order of the words. An error only when the store cannot be read.
[[nodiscard]] Expected<FoundRuns> find_runs(const std::vector<std::string>& selectors, const Context& context,
                                            RunUse use = RunUse::read);

/// The answer of a verb about several runs: their states, and the errors of the others. The exit code is the
/// highest of the errors.
[[nodiscard]] Outcome report_runs(std::string_view schema, const std::vector<KnownRun>& runs, Errors errors,
                                  Context& context);

}  // namespace ddp::cli
