#include "cli/spec/spec_warnings.hpp"

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

/// Slurm tells nobody that the end is near unless it is asked to: head requeues at the limit only after that
/// signal. `none` is somebody's choice.
bool ends_at_time_limit(const RunSpec& spec) {
  return spec.launcher == LauncherKind::slurm && !spec.train && spec.fault_tolerance.requeue &&
         spec.fault_tolerance.signal == "auto";
}

}  // namespace

std::vector<std::string> warn_of_spec(const RunSpec& spec) {
  if (!ends_at_time_limit(spec)) return {};
  return {
      "fault_tolerance.requeue is true, but at its time limit a command ends for good, unless "
      "fault_tolerance.signal names one (USR1, USR2) at which it saves its state and leaves: it is sent " +
      render_duration(spec.fault_tolerance.signal_lead) +
      " before. Any new start goes on only from what it has saved"};
}

}  // namespace ddp::cli
