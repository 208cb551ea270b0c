#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/cancel_record.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};
constexpr std::chrono::seconds kBeyondGrace{20};  // to kill, sweep and write the records

constexpr Option kForce{"--force", "",
                        "also cancel suspended jobs, which lose all work since their last checkpoint"};

/// A run that is to be cancelled.
struct Target {
  RunPointer pointer;
  RunStatus status = {};
  std::optional<std::string> recorded = {};  ///< the token of the submission that should have a cancel record
  std::set<std::string> told = {};           ///< tokens of the submissions that the launcher was told to stop
  std::optional<Error> error = {};           ///< why it could not be cancelled

  [[nodiscard]] bool is_open() const { return !error && !is_final(status.state); }
};

/// Of the submissions to be cancelled: of a sweep those that have open points.
std::set<std::string> open_tokens(const RunStatus& run) {
  if (run.points.empty()) return {run.token};
  std::set<std::string> tokens;
  for (const auto& point : run.points) {
    if (!is_final(point.state)) tokens.insert(point.token);
  }
  return tokens;
}

/// What the launcher is told to stop: of a sweep in a queue every array that has open points.
std::vector<RunStatus> open_jobs(const Target& target) {
  if (target.status.points.empty() || !has_scheduler(target.pointer.launcher)) return {target.status};
  std::map<std::string, RunStatus> jobs;  // by token
  for (const auto& point : target.status.points) {
    if (is_final(point.state)) continue;
    RunStatus job = point;
    job.job_id = job.job_id.substr(0, job.job_id.find('_'));
    jobs.insert_or_assign(job.token, std::move(job));
  }
  std::vector<RunStatus> runs;
  for (auto& [token, job] : jobs) runs.push_back(std::move(job));
  return runs;
}

/// Its job will be known in a moment.
bool is_being_submitted(const RunStatus& run) {
  return run.awaits_answer && run.state == RunState::queued;
}

/// For a run whose folder is gone: its cancel cannot be recorded.
Error explain_gone(Error error, const Target& target) {
  const auto* launcher = find_launcher(target.pointer.launcher);
  if (launcher == nullptr || launcher->by_hand.end_run == nullptr) return error;
  if (auto hint = launcher->by_hand.end_run(target.status, target.pointer); !hint.empty())
    error.hint = std::move(hint);
  return error;
}

/// A disk that is full keeps no run from being stopped.
void put_on_record(Target& target, Context& context) {
  const RunFolder folder(target.pointer.run_dir);
  if (auto exists = check_exists(folder); !exists) {
    target.error = explain_gone(std::move(exists.error()), target);
    return;
  }
  const auto written = record_cancel(folder, open_tokens(target.status), context.system);
  const bool first = !std::exchange(target.recorded, target.status.token);
  if (written || !first) return;
  context.reporter.note(fmt::format(
      "warning: the cancellation of run {} could not be recorded: {}; stopping the run all the same",
      target.pointer.run_id, written.error().message));
}

/// A job that is cancelled while it is suspended is killed as it is.
Error explain_suspended(const RunPointer& pointer, const RunStatus& job) {
  const auto checkpoint = find_latest_checkpoint(RunFolder(pointer.run_dir));
  const auto since = checkpoint ? fmt::format(" since step {}", checkpoint->step) : std::string();
  const auto* launcher = find_launcher(pointer.launcher);
  const std::string scheduler = launcher != nullptr ? launcher->traits.scheduler : "";
  const bool known = launcher != nullptr && launcher->by_hand.resume_job != nullptr;
  const auto way =
      known ? fmt::format(" (an operator can do that: {})", launcher->by_hand.resume_job(job.job_id))
            : std::string();
  return {ExitCode::still_running,
          fmt::format(
              "job {} of run {} is suspended by {}: if it is cancelled now, it cannot write a checkpoint and "
              "loses its work{}",
              job.job_id, pointer.run_id, scheduler, since),
          fmt::format("cancel it after {} has resumed it{}; to cancel it now: ddpsubmit cancel --force {}",
                      scheduler, way, pointer.run_id)};
}

/// Cancels several runs at once: each step is taken for all of them before the next one.
class Cancellation {
 public:
  Cancellation(std::vector<RunPointer> pointers, Context& context)
      : context_(context), resolver_(context.seams()) {
    for (auto& pointer : pointers) targets_.push_back({.pointer = std::move(pointer)});
  }

  enum class Suspended { spare, cancel };

  std::vector<Target> run(Suspended suspended) {
    resolve();
    if (suspended == Suspended::spare) spare_suspended();
    record();
    tell_launchers();
    wait();
    return std::move(targets_);
  }

 private:
  using Places = std::vector<Target*>;

  [[nodiscard]] Places open() {
    Places places;
    for (auto& target : targets_) {
      if (target.is_open()) places.push_back(&target);
    }
    return places;
  }
  void resolve();
  void spare_suspended();
  void record();
  void tell_launchers();
  void give_up_in_doubt();
  void wait();

  Context& context_;
  StatusResolver resolver_;
  std::vector<Target> targets_;
};

void Cancellation::resolve() {
  const auto places = open();
  std::vector<RunPointer> pointers;
  for (const auto* target : places) pointers.push_back(target->pointer);
  auto states = resolver_.resolve(pointers);
  for (std::size_t index = 0; index < places.size(); ++index)
    places[index]->status = std::move(states[index]);
}

void Cancellation::spare_suspended() {
  for (auto* target : open()) {
    const auto& run = target->status;
    const auto point = std::ranges::find_if(run.points, &RunStatus::suspended);
    if (point != run.points.end()) target->error = explain_suspended(target->pointer, *point);
    if (run.suspended) target->error = explain_suspended(target->pointer, run);
  }
}

/// The records come first: a job that is requeued meanwhile, or a head that starts only now, sees its own and
/// ends. What was submitted before the record was written is known afterwards.
void Cancellation::record() {
  const auto lacks_record = [](const Target* target) { return target->recorded != target->status.token; };
  while (true) {
    auto places = open();
    std::erase_if(places, std::not_fn(lacks_record));
    if (places.empty()) return;
    for (auto* target : places) put_on_record(*target, context_);
    resolve();
  }
}

void Cancellation::tell_launchers() {
  std::map<std::string, Places> places_of;
  for (auto* target : open()) places_of[target->pointer.launcher].push_back(target);
  for (const auto& [name, places] : places_of) {
    auto* launcher = resolver_.launcher(name);
    if (launcher == nullptr) continue;
    std::vector<RunStatus> runs;
    Places targets;  // of each of `runs`
    for (auto* target : places) {
      for (auto& run : open_jobs(*target)) {
        if (is_being_submitted(run) || !target->told.insert(run.token).second) continue;
        runs.push_back(std::move(run));
        targets.push_back(target);
      }
    }
    if (runs.empty()) continue;
    const auto cancelled = launcher->cancel(runs);
    for (std::size_t index = 0; index < runs.size(); ++index) {
      if (!cancelled[index]) targets[index]->error = cancelled[index].error();
    }
  }
}

/// Of a run that has not ended in time.
Error explain_open(const Target& target) {
  const auto& id = target.pointer.run_id;
  if (is_being_submitted(target.status)) {
    const bool recorded = target.status.cancel_requested;
    return {ExitCode::outcome_unknown,
            "run " + id + " is still being submitted" + (recorded ? "; its cancellation is recorded" : ""),
            recorded ? "its job is cancelled once it is submitted; see: ddpsubmit status " + id
                     : "cancel it again after it is submitted"};
  }
  if (target.status.state == RunState::unknown && !target.status.message.empty()) {
    return {ExitCode::outcome_unknown,
            "it is unknown whether run " + id + " has stopped: " + target.status.message,
            "see: ddpsubmit status " + id};
  }
  return {ExitCode::still_running, "run " + id + " was told to stop, but has not ended yet",
          "to kill it at once, cancel it again: ddpsubmit cancel " + id};
}

std::chrono::seconds grace_of(const RunPointer& pointer) {
  const RunFolder folder(pointer.run_dir);
  const bool is_sweep = std::filesystem::exists(folder.sweep_record());
  const auto plan = load_run_plan(is_sweep ? folder.point_folder(0) : folder);
  return plan ? plan->grace_period : LaunchPlan{}.grace_period;
}

/// Longer the longer it takes: an end is noticed late by a quarter of the time at most.
milliseconds choose_pause(std::chrono::nanoseconds waited) {
  return std::clamp(std::chrono::duration_cast<milliseconds>(waited / 4), kFirstPause, kLongestPause);
}

void Cancellation::wait() {
  auto& clock = context_.system.clock;
  std::chrono::seconds grace{0};
  for (const auto* target : open()) grace = std::max(grace, grace_of(target->pointer));
  const auto deadline = clock.steady() + grace + kBeyondGrace;
  const auto began = clock.steady();
  while (!open().empty() && clock.steady() < deadline) {
    resolve();
    tell_launchers();
    give_up_in_doubt();
    if (!open().empty()) clock.sleep(choose_pause(clock.steady() - began));
  }
  for (auto* target : open()) target->error = explain_open(*target);
}

/// Nobody will be able to tell it later.
void Cancellation::give_up_in_doubt() {
  for (auto* target : open()) {
    const auto& status = target->status;
    const bool has_ended = status.state == RunState::unknown && status.ended;
    if (status.in_doubt || has_ended) target->error = explain_open(*target);
  }
}

/// One silence is the same for all of them.
void add_error(Error error, Errors& errors) {
  const auto is_same = [&error](const Error& known) { return known.message == error.message; };
  if (std::ranges::none_of(errors, is_same)) errors.push_back(std::move(error));
}

Outcome cancel(const Arguments& arguments, Context& context) {
  using Suspended = Cancellation::Suspended;
  auto found = find_runs(arguments.all("RUN"), context, RunUse::stop);
  if (!found) return refuse(found.error());
  const auto suspended = arguments.has(kForce.name) ? Suspended::cancel : Suspended::spare;
  std::vector<KnownRun> ended;
  for (auto& target : Cancellation(std::move(found->pointers), context).run(suspended)) {
    if (target.error) {
      add_error(std::move(*target.error), found->errors);
    } else {
      ended.push_back(
          add_details(target.pointer, std::move(target.status), Details::all, context.seams().note));
    }
  }
  return report_runs("ddpsubmit.cancel.v1", ended, std::move(found->errors), context);
}

}  // namespace

Command cancel_command() {
  return {.name = "cancel",
          .summary = "Stop runs and wait for their end; no effect on runs that have ended",
          .operands = {{"RUN", kChangedRunDoc, Arity::at_least_one, WordKind::open_run}},
          .options = {kForce},
          .description =
              "A training checkpoints before it stops, within `fault_tolerance.grace_period`; what is "
              "left after that is killed. The command returns when the runs have ended. A second call "
              "kills the runs at once.",
          .examples = {{"cancel last", "stop the newest run; a training writes a checkpoint first"},
                       {"cancel 4711", "stop the run of Slurm job 4711"}},
          .run = cancel};
}

}  // namespace ddp::cli
