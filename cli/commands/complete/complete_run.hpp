#pragma once

#include "cli/commands/complete/question.hpp"

namespace ddp::cli {

/// `last`, and the names and ids of the runs of this user, by the names of their records alone: none is read.
[[nodiscard]] Candidates complete_run(const Question& question);

/// The same of runs that have not ended, by their records. The newest are read first; those that the time
/// does not suffice for are not proposed.
[[nodiscard]] Candidates complete_open_run(const Question& question);

/// The names that runs of this user have.
[[nodiscard]] Candidates complete_run_name(const Question& question);

}  // namespace ddp::cli
