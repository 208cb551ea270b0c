#pragma once

#include "cli/commands/complete/question.hpp"

namespace ddp::cli {

/// KEY=VALUE: the next part of the key, then what the value can be; and +include=FILE.
[[nodiscard]] Candidates complete_assignment(const Question& question);

/// KEY=VALUE, of the keys that may change between two attempts.
[[nodiscard]] Candidates complete_change(const Question& question);

}  // namespace ddp::cli
