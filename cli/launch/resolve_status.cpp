#include "cli/launch/resolve_status.hpp"

#include <filesystem>
#include <map>

#include "cli/launch/launchers.hpp"
#include "cli/store/file_tail.hpp"
#include "cli/store/run_records.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLogBytes = 4096;
constexpr std::size_t kLogLines = 10;

/// What the log that the launcher names has to say of an end without a word of head.
void add_log(const std::string& name, KnownRun& run) {
  auto tail =
      last_lines(load_tail(RunFolder(run.pointer.run_dir).root() / "logs" / name, kLogBytes), kLogLines);
  if (!tail.empty()) run.status.cause.emplace().stderr_tail = std::move(tail);
}

/// The records say why it waits again, the launcher why it still does. Until the job has left its nodes the
/// launcher takes it for running.
void apply_to_waiting(const Observation& observation, RunStatus& status) {
  if (observation.state != RunState::queued || observation.message.empty()) return;
  status.message += (status.message.empty() ? "" : "; ") + observation.message;
}

void apply(const Observation& observation, KnownRun& run) {
  const bool ended = is_final(observation.state);
  if (run.status.requeued && !ended && observation.state != RunState::unknown)
    return apply_to_waiting(observation, run.status);
  if (ended) {
    // Head may have written its last word after the records were read, and ended before the launcher looked.
    if (auto again = load_recorded_run(run.pointer); is_final(again.status.state)) {
      run = std::move(again);
      return;
    }
  }
  // The launcher sees that head runs; what it is about is in the ledger.
  if (run.status.state == RunState::restarting && observation.state == RunState::running) return;
  run.status.state = observation.state;
  run.status.message = observation.message;
  if (observation.state == RunState::failed) run.status.exit_code = static_cast<int>(ExitCode::run_failed);
  if (ended && !observation.log.empty()) add_log(observation.log, run);
  std::error_code ignored;  // head removes them at the end of a run; here it has not come to that
  if (ended) std::filesystem::remove(RunFolder(run.pointer.run_dir).secrets(), ignored);
}

void observe(const std::string& launcher_name, const std::vector<std::size_t>& open,
             const LauncherSeams& seams, std::vector<KnownRun>& runs) {
  const auto launcher = make_launcher(launcher_name, seams);
  if (!launcher) return;
  std::vector<RunStatus> statuses;
  for (const auto index : open) statuses.push_back(runs[index].status);
  const auto observations = (*launcher)->observe(statuses);
  for (std::size_t place = 0; place < open.size(); ++place) apply(observations[place], runs[open[place]]);
}

/// A run that waits for a further attempt has no progress of its own yet.
void add_training(const RunFolder& folder, const RunRecords& records, KnownRun& run) {
  const auto& attempts = run.status.attempts;
  if (run.status.state != RunState::queued && !attempts.empty())
    run.progress = load_training_progress(folder, attempts.back().number);
  if (records.plan && records.plan->program == ProgramKind::trainer)
    run.checkpoint = find_latest_checkpoint(folder);
}

/// `logs` shows the newest attempt, too.
bool cause_printed(const RunFolder& folder, const RunStatus& status) {
  if (!status.cause || !status.cause->rank || status.attempts.empty()) return false;
  std::error_code error;
  const auto size =
      std::filesystem::file_size(folder.out(status.attempts.back().number, *status.cause->rank), error);
  return !error && size > 0;
}

}  // namespace

KnownRun load_recorded_run(const RunPointer& pointer) {
  KnownRun run{.pointer = pointer, .status = {}};
  const RunFolder folder(pointer.run_dir);
  const auto records = load_run_records(folder);
  if (records) {
    run.status = derive_status(*records);
    add_training(folder, *records, run);
    run.cause_printed = cause_printed(folder, run.status);
  } else {
    run.status.message = records.error().message;
  }
  if (run.status.job_id.empty()) run.status.job_id = pointer.job_id;
  return run;
}

std::vector<KnownRun> resolve_runs(const std::vector<RunPointer>& pointers, const LauncherSeams& seams) {
  std::vector<KnownRun> runs;
  std::map<std::string, std::vector<std::size_t>> open;  // launcher -> runs without an end
  for (const auto& pointer : pointers) {
    runs.push_back(load_recorded_run(pointer));
    const auto& status = runs.back().status;
    if (!is_final(status.state) && !status.ended) open[pointer.launcher].push_back(runs.size() - 1);
  }
  for (const auto& [launcher, indices] : open) observe(launcher, indices, seams, runs);
  return runs;
}

KnownRun resolve_run(const RunPointer& pointer, const LauncherSeams& seams) {
  return std::move(resolve_runs({pointer}, seams).front());
}

}  // namespace ddp::cli
