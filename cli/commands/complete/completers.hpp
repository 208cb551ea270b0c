#pragma once

#include "cli/commands/complete/question.hpp"

namespace ddp::cli {

/// What the word that is asked about can become when it is of this kind. Prints nothing; what cannot be read
/// is not proposed.
[[nodiscard]] Candidates complete_word(WordKind kind, const Question& question);

}  // namespace ddp::cli
