#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/probe_report.hpp"
#include "cli/spec/run_spec.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// What a probe has shown.
struct ProbeVerdict {
  Findings findings;
  std::vector<std::string> bad_hosts;  ///< that a run had better do without, sorted
};

/// `spec` is the configuration that the probe was made for, `status` how the probe's run ended. Pure.
[[nodiscard]] ProbeVerdict judge_probe(const ProbeReport& report, const RunStatus& status,
                                       const RunSpec& spec);

/// The argument that keeps these hosts out of a run of `spec`: "slurm.exclude=node3,node7". Empty when there
/// are none, or the launcher chooses no nodes. Pure.
[[nodiscard]] std::string exclude_argument(const std::vector<std::string>& hosts, const RunSpec& spec);

}  // namespace ddp::cli
