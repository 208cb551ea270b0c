#pragma once

#include <optional>

#include "cli/commands/command.hpp"
#include "cli/doctor/probe_report.hpp"
#include "cli/spec/run_spec.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// A probe that has come to its end.
struct EndedProbe {
  KnownRun run;
  ProbeReport report;
};

/// Runs `ddp-agent probe` on nodes like those of a run of `spec`, and waits for its end; how it waits is
/// talk. INT and TERM end the job: then the errors are of ExitCode::interrupted or terminated, and nothing of
/// the probe is left. The other errors say why there could be no probe.
[[nodiscard]] tl::expected<EndedProbe, Errors> probe_nodes(const RunSpec& spec, Context& context);

}  // namespace ddp::cli
