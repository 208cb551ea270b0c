#pragma once

#include "cli/commands/complete/question.hpp"

namespace ddp::cli {

/// `last`, and the names and ids of the runs of this user, by the names of their records alone: none is read.
[[nodiscard]] Candidates complete_run(const Question& question);

}  // namespace ddp::cli
