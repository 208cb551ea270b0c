#pragma once

#include <filesystem>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "cli/ssh/ssh_target.hpp"

namespace ddp::cli {

/// How the hosts of a run are reached, by node rank.
[[nodiscard]] std::vector<SshTarget> targets_of(const RunSpec& spec, HostKeyPolicy host_keys);

/// How the host `name` of an earlier run is reached: spec.yaml of its folder tells.
[[nodiscard]] Expected<SshTarget> load_target(const std::filesystem::path& spec_file,
                                              const std::string& name);

}  // namespace ddp::cli
