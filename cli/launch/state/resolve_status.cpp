#include "cli/launch/state/resolve_status.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cli/launch/launchers.hpp"
#include "cli/launch/state/lost_submission.hpp"
#include "cli/launch/state/spent_secrets.hpp"
#include "cli/store/irregular_files.hpp"
#include "cli/store/state/observed_end.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/files/file_tail.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

constexpr std::size_t kLogBytes = 4096;
constexpr std::size_t kLogLines = 10;

/// What the log that the launcher names has to say of an end without a word of head.
void add_log(const std::string& name, const RunFolder& folder, RunStatus& status) {
  if (name.empty()) return;
  const auto logs = (folder.point() ? folder.sweep() : folder).root() / "logs";  // one script for all points
  auto tail = last_lines(load_tail(logs / name, kLogBytes), kLogLines);
  if (!tail.empty()) status.cause.emplace().stderr_tail = std::move(tail);
}

bool is_same_attempt(const RunStatus& a, const RunStatus& b) {
  return a.token == b.token && a.newest_attempt() == b.newest_attempt();
}

/// The records say why it waits again, the launcher why it still does. Until the job has left its nodes the
/// launcher takes it for running.
void take_wait(const Observation& observation, RunStatus& status) {
  if (observation.state != RunState::queued) return;
  status.expected_start = observation.expected_start;
  if (observation.message.empty()) return;
  status.message += (status.message.empty() ? "" : "; ") + observation.message;
}

void take_state(const Observation& observation, RunStatus& status) {
  const bool known = !is_final(observation.state) && observation.state != RunState::unknown;
  if (status.requeued && known) return take_wait(observation, status);
  // The launcher sees that head runs; what it is about is in the ledger.
  if (status.state == RunState::restarting && observation.state == RunState::running) return;
  // What head waits for while its job runs on, only the ledger tells.
  const bool tells_less = observation.state == status.state && observation.message.empty();
  if (!tells_less) status.message = observation.message;
  status.state = observation.state;
  status.suspended = observation.suspended;
  status.unanswered = observation.unanswered;
  status.expected_start = observation.expected_start;
}

system_clock::time_point modified(const std::filesystem::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return system_clock::time_point(std::chrono::seconds(found.st_mtim.tv_sec));
}

/// When the run was last seen to do anything: what its head and its ranks have written.
system_clock::time_point last_sign_of_life(const RunFolder& folder, const RunStatus& status) {
  auto last = std::max(status.submitted.value_or(system_clock::time_point{}), modified(folder.metrics()));
  if (status.attempts.empty()) return last;
  std::error_code error;
  const auto logs = folder.logs(status.newest_attempt());
  for (std::filesystem::directory_iterator entry(logs, error), end; !error && entry != end;
       entry.increment(error))
    last = std::max(last, modified(entry->path()));
  for (const auto& attempt : status.attempts)
    last = std::max(last, modified(folder.ledger_of("head-" + std::to_string(attempt.number))));
  return last;
}

/// A job that was alive a moment ago is still shown by the controller that had it: this may be another one,
/// or it has lost its jobs.
bool came_too_soon(const Observation& observation, const RunFolder& folder, const RunStatus& status,
                   system_clock::time_point now) {
  return observation.counts_after && now - last_sign_of_life(folder, status) < *observation.counts_after;
}

/// Without its records nobody can tell what became of a run, only whether its job is still there.
void take_without_records(const Observation& observation, RunStatus& status) {
  status.unanswered = observation.unanswered;
  if (status.unanswered && !observation.message.empty())
    status.message += (status.message.empty() ? "" : "; ") + observation.message;
  if (is_final(observation.state) || observation.state == RunState::unknown) return;
  status.state = observation.state;
  status.message += fmt::format("; its job {} still exists", status.job_id);
}

/// Behind an attempt that has succeeded head's last word is lost, and so are records of its ranks.
bool may_have_succeeded(const RunStatus& status) {
  return status.head_damaged && status.state == RunState::running && !status.attempts.empty() &&
         status.attempts.back().outcome == name_of(RunState::succeeded);
}

/// The job of the run has ended.
void take_lost_success(RunStatus& status) {
  const auto& newest = status.attempts.back();
  status.state = RunState::succeeded;
  status.message = newest.message;
  status.exit_code = static_cast<int>(ExitCode::ok);
  status.ended = newest.ended;
}

/// If the run has ended, as the launcher sees it: head may have written its last word after the records
/// were read, and ended before the launcher looked; or the next attempt may have begun.
void take(const Observation& observation, const RunPointer& pointer, const System& system,
          RunStatus& status) {
  if (!check_exists(RunFolder(pointer.run_dir))) return take_without_records(observation, status);
  if (!is_final(observation.state)) return take_state(observation, status);
  auto now = load_recorded_status(pointer);
  const bool overtaken = is_final(now.state) || now.ended || !is_same_attempt(now, status);
  status = std::move(now);
  if (overtaken) return;
  const RunFolder folder(pointer.run_dir);
  if (came_too_soon(observation, folder, status, system.clock.now())) {
    status.state = RunState::unknown;
    status.message = fmt::format(
        "{} does not know job {}, and the run has given a sign of life within the last {} s: a controller "
        "that "
        "has lost its jobs, or another cluster's?",
        pointer.launcher, status.job_id, observation.counts_after->count());
    return;
  }
  if (!status.lost_success && may_have_succeeded(status)) {
    status.state = RunState::unknown;
    status.message = "head reports success, but not every rank has recorded its end";
    status.ended = status.attempts.back().ended;
    return;
  }
  if (status.lost_success) {
    take_lost_success(status);
  } else {
    take_state(observation, status);
    status.ended = observation.ended;
    if (observation.state == RunState::failed) status.exit_code = static_cast<int>(ExitCode::run_failed);
    if (status.head_damaged)
      status.message += "; the part of its ledger that cannot be read may name the cause";
    add_log(observation.log, folder, status);
  }
  // Where this user cannot write, the next observer proves it again.
  if (!observation.source.empty()) (void)record_observed_end(folder, status, observation.source, system.host);
}

/// What a run is about between the start of its head and that of its ranks.
void name_phase(const RunPointer& pointer, RunStatus& status) {
  const bool starts = status.state == RunState::running && status.head && !status.attempts.empty() &&
                      status.attempts.back().hosts.empty();
  if (!starts || !status.message.empty()) return;
  const auto plan = load_run_plan(RunFolder(pointer.run_dir));
  const bool sets_up = plan && !plan->setup.empty();
  status.message = sets_up ? "running its set-up lines: no rank has started yet" : "starting its ranks";
}

/// It may be that nobody could be told of it yet.
void name_cancel(RunStatus& status) {
  if (status.state != RunState::unknown || !status.cancel_requested) return;
  status.message += status.message.empty() ? "its cancel is recorded" : "; its cancel is recorded";
}

/// Of the bundled trainer alone.
std::optional<LatestCheckpoint> find_checkpoint(const RunPointer& pointer, const RunStatus& status) {
  const RunFolder folder(pointer.run_dir);
  auto checkpoint = status.attempts.empty() ? std::nullopt : find_latest_checkpoint(folder);
  if (!checkpoint || load_program_kind(folder) != ProgramKind::trainer) return std::nullopt;
  const auto* launcher = find_launcher(pointer.launcher);
  const bool may_be_elsewhere = launcher != nullptr && launcher->place_of_checkpoint != nullptr;
  return may_be_elsewhere ? launcher->place_of_checkpoint(std::move(*checkpoint), folder, status)
                          : checkpoint;
}

void tell_irregular_files(const RunFolder& folder, const RunStatus& status, const Note& note) {
  for (const auto& what : find_irregular_files(folder, status.newest_attempt()))
    note("warning: " + what + "; it is ignored");
}

/// `logs` shows the newest attempt, too.
bool cause_printed(const RunFolder& folder, const RunStatus& status) {
  if (!status.cause || !status.cause->rank || status.attempts.empty()) return false;
  std::error_code error;
  const auto size =
      std::filesystem::file_size(folder.out(status.newest_attempt(), *status.cause->rank), error);
  return !error && size > 0;
}

/// A rank whose main thread has failed while others of its threads or children keep it alive has said why.
std::optional<Cause> find_printed_cause(const RunFolder& folder, const RunStatus& status) {
  constexpr std::size_t kTail = 1 << 13;
  constexpr int kMostRanks = 256;
  if (!status.message.starts_with(kSuspectedHang)) return std::nullopt;
  for (int rank = 0; rank < kMostRanks; ++rank) {
    const auto log = folder.err(status.newest_attempt(), rank);
    std::error_code error;
    if (!std::filesystem::exists(log, error)) return std::nullopt;
    Cause cause{.rank = rank};
    cause.stderr_tail = load_tail(log, kTail);
    if (!likely_cause_of(cause).empty()) return cause;
  }
  return std::nullopt;
}

/// The cause comes first.
void name_printed_cause(const Cause& printed, RunStatus& status) {
  status.message += fmt::format("; rank {} has printed: {}", *printed.rank, likely_cause_of(printed));
}

}  // namespace

KnownRun add_details(const RunPointer& pointer, RunStatus status, Details details, const Note& note) {
  KnownRun run{.pointer = pointer, .status = std::move(status)};
  const RunFolder folder(pointer.run_dir);
  if (note && details >= Details::progress) tell_irregular_files(folder, run.status, note);
  if (!run.status.points.empty()) {
    run.sweep = load_sweep_record(folder).value_or(SweepRecord{});
    int number = 0;
    for (const auto& point : run.status.points)
      run.points.push_back(add_details(point_pointer(pointer, number++), point, details));
    return run;
  }
  add_live(run);
  if (details >= Details::progress) run.progress = load_training_progress(folder);
  if (details < Details::all) return run;
  run.checkpoint = find_checkpoint(pointer, run.status);
  run.cause_printed = cause_printed(folder, run.status);
  run.printed = find_printed_cause(folder, run.status);
  if (run.printed) name_printed_cause(*run.printed, run.status);
  std::error_code unreadable;
  if (std::filesystem::is_directory(folder.tensorboard(), unreadable)) run.event_files = folder.tensorboard();
  return run;
}

KnownRun load_recorded_run(const RunPointer& pointer) {
  return add_details(pointer, load_recorded_status(pointer));
}

std::vector<RunStatus> StatusResolver::resolve(std::span<const RunPointer> pointers) {
  refresh(pointers);
  std::vector<RunStatus> states;
  for (const auto& pointer : pointers) states.push_back(load_recorded(pointer));
  complete_lost_submissions(pointers, states, seams_,
                            [this](const std::string& name) { return launcher(name); });
  std::vector<Unit> units;
  for (std::size_t index = 0; index < pointers.size(); ++index)
    add_units(pointers[index], states[index], units);
  tell_damage(units);
  observe(units);
  for (const auto& unit : units) {
    remove_spent_secrets(unit.pointer, *unit.status);
    name_phase(unit.pointer, *unit.status);
    name_cancel(*unit.status);
  }
  remember_successes(units);
  for (auto& status : states) {
    if (!status.points.empty()) combine_points(status);
  }
  return states;
}

void StatusResolver::tell_damage(std::span<const Unit> units) {
  for (const auto& unit : units) {
    for (const auto& what : unit.status->damage) {
      if (told_.insert(what).second && seams_.note) seams_.note("warning: " + what);
    }
  }
}

Errors StatusResolver::refresh(std::span<const RunPointer> pointers) {
  Errors errors;
  std::map<std::string, std::vector<RunPointer>> of_launcher;
  for (const auto& pointer : pointers) of_launcher[pointer.launcher].push_back(pointer);
  for (const auto& [name, runs] : of_launcher) {
    auto* asked = launcher(name);
    if (asked == nullptr) continue;
    for (auto& error : asked->refresh(runs)) errors.push_back(std::move(error));
  }
  return errors;
}

ConfirmedSuccesses& StatusResolver::confirmed() {
  if (confirmed_) return *confirmed_;
  const auto store = RunStore::open(seams_.submitter);
  return store ? confirmed_.emplace(store->folder().parent_path() / "confirmed") : confirmed_.emplace();
}

void StatusResolver::remember_successes(std::span<const Unit> units) {
  for (const auto& unit : units) {
    if (unit.status->state == RunState::succeeded)
      confirmed().add(RunFolder(unit.pointer.run_dir), unit.status->newest_attempt());
  }
  confirmed().save();
}

void StatusResolver::add_units(const RunPointer& pointer, RunStatus& status, std::vector<Unit>& units) {
  if (status.points.empty()) return units.push_back({pointer, &status});
  int number = 0;
  for (auto& point : status.points) units.push_back({point_pointer(pointer, number++), &point});
}

void StatusResolver::observe(std::span<const Unit> units) {
  std::map<std::string, std::vector<const Unit*>> open;  // launcher -> runs without an end
  for (const auto& unit : units) {
    const bool over = is_final(unit.status->state) || unit.status->ended || unit.status->in_doubt;
    if (!over) open[unit.pointer.launcher].push_back(&unit);
  }
  for (const auto& [name, asked_of] : open) {
    auto* asked = launcher(name);
    if (asked == nullptr) continue;
    std::vector<RunStatus> runs;
    for (const auto* unit : asked_of) runs.push_back(*unit->status);
    const auto observations = asked->observe(runs);
    for (std::size_t index = 0; index < asked_of.size(); ++index) {
      const auto& unit = *asked_of[index];
      take(observations[index], unit.pointer, seams_.system, *unit.status);
    }
  }
}

RunStatus StatusResolver::resolve(const RunPointer& pointer) {
  return std::move(resolve(std::span(&pointer, 1)).front());
}

RunStatus StatusResolver::load_recorded(const RunPointer& pointer) {
  return load_recorded_status(pointer, RankEvents::skip, confirmed());
}

Launcher* StatusResolver::launcher(const std::string& name) {
  auto& kept = launchers_[name];
  if (!kept) {
    if (auto made = make_launcher(name, seams_)) kept = std::move(*made);
  }
  return kept.get();
}

std::vector<KnownRun> resolve_runs(const std::vector<RunPointer>& pointers, const LauncherSeams& seams,
                                   Details details) {
  auto states = StatusResolver(seams).resolve(pointers);
  std::vector<KnownRun> runs;
  for (std::size_t index = 0; index < pointers.size(); ++index)
    runs.push_back(add_details(pointers[index], std::move(states[index]), details, seams.note));
  return runs;
}

KnownRun resolve_run(const RunPointer& pointer, const LauncherSeams& seams) {
  return std::move(resolve_runs({pointer}, seams).front());
}

}  // namespace ddp::cli
