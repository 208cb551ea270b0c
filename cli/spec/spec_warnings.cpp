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
      "fault_tolerance.requeue is true, but this command is not requeued at its time limit: it gets no "
      "signal "
      "before. With fault_tolerance.signal=USR1 each rank gets that " +
      render_duration(spec.fault_tolerance.signal_lead) +
      " before the limit, must save its state and leave, and is started again. In any case it goes on only "
      "from what it has saved itself"};
}

}  // namespace ddp::cli
