#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Words of `command` that do something else than they seem to: a program that starts ranks itself, and
/// variables that no shell expands; one line each. Pure.
[[nodiscard]] std::vector<std::string> warn_of_command(const RunSpec& spec);

}  // namespace ddp::cli
