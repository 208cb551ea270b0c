#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Program and arguments of each rank: the words of `command` with the value of `args.NAME` in place of each
/// `{args.NAME}`. Without `args` they are the words as they stand.
[[nodiscard]] std::vector<std::string> command_of(const RunSpec& spec);

/// A `{args.NAME}` without a value, where there are `args`, and a value that no word uses.
void check_args(const RunSpec& spec, Errors& errors);

/// A warning for each `{args.NAME}` that the program gets as it stands, because there are no `args`.
[[nodiscard]] std::vector<std::string> warn_of_args(const RunSpec& spec);

}  // namespace ddp::cli
