#pragma once

#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// "run.yaml:4:13", "run.yaml:4" where no column is known, or "command line".
[[nodiscard]] std::string render_place(const SourceMark& mark);

/// The error as a person reads it: the message, the place, the source line with carets under it, and the
/// hint. Ends with a newline. Control characters and broken UTF-8 are shown as '?' in the source line, and
/// written out (\x1b) elsewhere; long lines are cut around the carets. Without a column the place stands
/// alone.
[[nodiscard]] std::string render_diagnostic(const Error& error);

/// All of them, with an empty line between two.
[[nodiscard]] std::string render_diagnostics(const Errors& errors);

}  // namespace ddp
