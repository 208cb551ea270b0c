#include "cli/store/state/recorded_status.hpp"

#include <filesystem>

#include "cli/launchers/launcher_row.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/submission_lock.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

/// What the records of a point leave out because they are those of the whole sweep.
void settle_point(const RunFolder& folder, const RunPointer& pointer, RunStatus& status) {
  const auto* launcher = find_launcher(pointer.launcher);
  const bool is_here = launcher != nullptr && launcher->ranks_run == RanksRun::here;
  const bool waits_here = is_here && status.state == RunState::queued;
  if (waits_here && status.cancel_requested) {  // its head will see that first
    status.state = RunState::cancelled;
    status.message = "cancelled before it started";
  }
  if (status.submitted) return;
  if (status.submission_damaged) {
    status.state = RunState::unknown;
    status.in_doubt = true;
    status.message = "unreadable lines of the ledger may hide its submission";
    return;
  }
  const auto lock = lock_submission(folder);
  const bool goes_on = !lock && lock.error().code == ExitCode::still_running;
  status.state = goes_on ? RunState::queued : RunState::failed;
  status.message = goes_on ? "it is being submitted"
                           : "it was not submitted; to submit it: ddpsubmit rerun " + folder.sweep().run_id();
}

void add_points(const RunPointer& sweep, std::size_t count, const ConfirmedSuccesses& confirmed,
                RunStatus& status) {
  for (int point = 0; point < static_cast<int>(count); ++point)
    status.points.push_back(load_recorded_status(point_pointer(sweep, point), RankEvents::skip, confirmed));
  combine_points(status);
}

}  // namespace

RunStatus load_recorded_status(const RunPointer& pointer, RankEvents ranks,
                               const ConfirmedSuccesses& confirmed) {
  RunStatus status;
  const RunFolder folder(pointer.run_dir);
  if (const auto records = load_run_records(folder, ranks, confirmed)) {
    status = derive_status(*records);
  } else {
    status.message = records.error().message;
  }
  status.name = pointer.name;
  status.run_dir = pointer.run_dir;
  // An intent that nobody has answered yet has no job: the pointer's is of an earlier one.
  if (status.job_id.empty() && !status.awaits_answer) status.job_id = pointer.job_id;
  if (folder.point()) settle_point(folder, pointer, status);
  if (const auto record = load_sweep_record(folder)) {
    add_points(pointer, record->points.size(), confirmed, status);
  } else if (std::filesystem::exists(folder.points())) {
    status.state = RunState::unknown;
    status.in_doubt = true;
    status.message = record.error().message;
  }
  return status;
}

}  // namespace ddp::cli
