#pragma once

#include <optional>
#include <string>

#include "cli/commands/complete/question.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// `last`, and the names and ids of the runs of this user, by the names of their records alone: none is read.
[[nodiscard]] Candidates complete_run(const Question& question);

/// The same of runs that have not ended, by their records, and the points that have not. So that the shell
/// does not wait for long, a fixed number of records is read: those of the newest runs, of a sweep among them
/// those of its last points. An older run is proposed when more of its id is typed. Points of a large sweep
/// that are not read are proposed.
[[nodiscard]] Candidates complete_open_run(const Question& question);

/// The names that runs of this user have.
[[nodiscard]] Candidates complete_run_name(const Question& question);

/// The run that a word of the line means; one that is an id is found without a look at the other runs.
[[nodiscard]] std::optional<RunPointer> find_run_typed(const RunStore& store, const std::string& selector);

}  // namespace ddp::cli
