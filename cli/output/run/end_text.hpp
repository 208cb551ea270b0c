#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// The sentences of a message, without the full stops between them. The first says what happened; the next
/// says why ddpsubmit did not restart the run.
[[nodiscard]] std::vector<std::string> split_sentences(std::string_view message);

/// "RuntimeError: CUDA out of memory", of a run that has ended without success. Empty: nothing tells.
[[nodiscard]] std::string find_likely_cause(const RunStatus& status);

/// The same as a line: "likely cause: RuntimeError: CUDA out of memory"
[[nodiscard]] std::string render_likely_cause(const RunStatus& status);

/// What to do about a run that has not succeeded: a command, and in brackets what it is good for.
/// Names no command that would print nothing.
[[nodiscard]] std::vector<std::string> render_next_steps(const KnownRun& run);

}  // namespace ddp::cli
