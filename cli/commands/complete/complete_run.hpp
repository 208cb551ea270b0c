#pragma once

#include <optional>
#include <string>

#include "cli/commands/complete/question.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// `last`, and the names and ids of the runs of this user, by the names of their records alone: none is read.
[[nodiscard]] Candidates complete_run(const Question& question);

/// The same of runs that have not ended, by their records, and of the points of a sweep. No more than the
/// newest records are read, and of a sweep its last points: older runs are proposed when more of their id is
/// typed.
[[nodiscard]] Candidates complete_open_run(const Question& question);

/// The names that runs of this user have.
[[nodiscard]] Candidates complete_run_name(const Question& question);

/// The run that a word of the line means; one that is an id is found without a look at the other runs.
[[nodiscard]] std::optional<RunPointer> find_run_typed(const RunStore& store, const std::string& selector);

}  // namespace ddp::cli
