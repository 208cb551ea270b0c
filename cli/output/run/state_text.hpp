#pragma once

#include <string>
#include <string_view>

#include "jobenv/record/run_state.hpp"

namespace ddp::cli {

/// "timed out": the state for a person. JSON and --state have its name.
[[nodiscard]] std::string render_state(RunState state);

/// The same of a name that a record holds: that of a state, or another outcome of an attempt.
[[nodiscard]] std::string render_state(std::string_view name);

}  // namespace ddp::cli
