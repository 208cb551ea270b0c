#pragma once

#include <filesystem>
#include <vector>

#include "cli/launchers/ssh/connection/ssh_target.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/spec/run_spec.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How the hosts of a run are reached, by node rank.
[[nodiscard]] std::vector<SshTarget> targets_of(const RunSpec& spec, HostKeyPolicy host_keys);

/// A host of an earlier run.
struct KnownHost {
  SshTarget target;
  SshOptions options;  ///< of that run
};

/// Keeps how the hosts of this attempt are reached, for when a rerun has others.
[[nodiscard]] Expected<void> remember_hosts(const RunFolder& folder, const RunSpec& spec);

/// The host `name`, as spec.yaml of the run's folder tells of it, or, where a rerun has changed the hosts, as
/// it was remembered.
[[nodiscard]] Expected<KnownHost> load_host(const std::filesystem::path& spec_file, const std::string& name);

}  // namespace ddp::cli
