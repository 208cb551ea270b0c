#pragma once

#include "cli/commands/complete/question.hpp"

namespace ddp::cli {

/// The rank behind the last comma, of those that the run that the line names has.
[[nodiscard]] Candidates complete_ranks(const Question& question);

}  // namespace ddp::cli
