#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "cli/system/machine.hpp"

namespace ddp::cli {

/// What the spec asks for and this machine has not got, each at its place with ExitCode::preflight_failed.
/// Pure.
[[nodiscard]] Errors find_exceeded_limits(const RunSpec& spec, const MachineResources& machine);

/// What the spec asks for and a run on this machine gets less strictly: one line each, without a full stop.
/// Pure.
[[nodiscard]] std::vector<std::string> find_loose_limits(const RunSpec& spec,
                                                         const MachineResources& machine);

}  // namespace ddp::cli
