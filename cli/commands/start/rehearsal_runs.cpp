#include "cli/commands/start/rehearsal_runs.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/step_watch.hpp"
#include "cli/commands/watch/follow.hpp"
#include "cli/commands/watch/remove_run.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/preflight/check_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::cli {
namespace {

constexpr int kLookMilliseconds = 2;  // at its steps: one of a small model takes no longer
constexpr std::chrono::milliseconds kLiveOfCommand{50};

/// A run stands in the store under its first pointer, also when it is started again.
void add(const RunPointer& pointer, std::vector<RunPointer>& pointers) {
  const bool known = std::ranges::any_of(
      pointers, [&pointer](const RunPointer& other) { return other.run_id == pointer.run_id; });
  if (!known) pointers.push_back(pointer);
}

tl::unexpected<Errors> interrupted_rehearsal(int signal) {
  return refuse({signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated,
                 "interrupted; the runs of the rehearsal were removed"});
}

/// A command may log its steps seldom, or not at all: they are seen in live.json.
void tell_steps_often(PreparedRun& run) {
  auto& live = run.request.plan.waits.live;
  if (!run.request.spec.train) live = std::min(live, kLiveOfCommand);
}

const RankStatus* find_running(const RunStatus& status, int rank) {
  if (status.attempts.empty()) return nullptr;
  const auto& ranks = status.attempts.back().ranks;
  const auto found = std::ranges::find_if(
      ranks, [rank](const RankStatus& each) { return each.rank == rank && !each.ended; });
  return found == ranks.end() ? nullptr : &*found;
}

void add_descendants(int pid, std::vector<int>& descendants) {
  std::error_code error;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", error);
  for (const std::filesystem::directory_iterator end; !error && thread != end; thread.increment(error)) {
    std::istringstream children(load_proc_file(thread->path().string() + "/children"));
    for (int child = 0; children >> child;) {
      descendants.push_back(child);
      add_descendants(child, descendants);
    }
  }
}

}  // namespace

tl::expected<EndedRehearsal, Errors> RehearsalRuns::run(RunSpec spec,
                                                        const std::optional<StepAction>& action) {
  auto folder = choose_folder(spec, context_.system.clock.now());
  return start_and_follow({.spec = std::move(spec), .folder = std::move(folder), .kind = FolderKind::fresh},
                          action);
}

tl::expected<EndedRehearsal, Errors> RehearsalRuns::rerun(const RunPointer& pointer,
                                                          const StepAction& action) {
  RunFolder folder(pointer.run_dir);
  auto lock = lock_submission(folder);
  if (!lock) return refuse(lock.error());
  auto spec = load_resolved_spec(folder.spec(), schema_source(context_, context_.current_folder));
  if (!spec) return tl::unexpected(std::move(spec.error()));
  return start_and_follow({.spec = std::move(*spec),
                           .folder = std::move(folder),
                           .kind = FolderKind::existing,
                           .lock = std::move(*lock)},
                          action);
}

tl::expected<EndedRehearsal, Errors> RehearsalRuns::start_and_follow(
    Order order, const std::optional<StepAction>& action) {
  if (const auto signal = signals_.take()) return interrupted_rehearsal(*signal);
  const auto prepared = prepare(std::move(order.spec), order.folder, order.kind);
  if (!prepared) return tl::unexpected(prepared.error());
  const int first_attempt = order.folder.highest_attempt().value_or(-1) + 1;
  EndedRehearsal ended{.run = {}, .strike = {}, .submitted = context_.system.clock.now()};
  const auto started = start_run(*prepared, order.kind, Attachment::attached, launcher(), context_.seams(),
                                 std::move(order.lock));
  if (!started) return refuse(started.error());
  add(started->pointer, started_);
  if (action) ended.strike = strike(started->pointer, first_attempt, *action);
  auto end = follow_run({.pointer = started->pointer,
                         .attachment = Attachment::attached,
                         .training = TrainingWatch(order.folder, first_attempt)},
                        context_);
  if (!end) return refuse(end.error());
  if (end->signal != 0) return interrupted_rehearsal(end->signal);
  ended.run = std::move(end->run);
  return ended;
}

/// What is wrong with the job, or loose, is said of the first run.
tl::expected<PreparedRun, Errors> RehearsalRuns::prepare(RunSpec spec, RunFolder folder, FolderKind kind) {
  auto prepared = prepare_run(std::move(spec), place_of(std::move(folder), context_), launcher(),
                              make_token(random_number()));
  if (!prepared) return refuse(prepared.error());
  tell_steps_often(*prepared);
  if (kind == FolderKind::existing) return std::move(*prepared);
  const auto warnings = check_run(*prepared, launcher(), context_.seams());
  if (!warnings) return tl::unexpected(warnings.error());
  if (!std::exchange(has_warned_, true)) say_warnings(*warnings, context_.reporter);
  return std::move(*prepared);
}

std::optional<Strike> RehearsalRuns::strike(const RunPointer& pointer, int first_attempt,
                                            const StepAction& action) {
  StepWatch watch(RunFolder(pointer.run_dir), first_attempt);
  const auto status = load_recorded_status(pointer);
  const auto lives = [&] {
    return status.head && liveness_of(*status.head, context_.system.host) == Liveness::alive;
  };
  const auto head = launcher().watch_end(status);
  std::array<pollfd, 2> ends{{{signals_.descriptor(), POLLIN, 0}, {head ? head->get() : -1, POLLIN, 0}}};
  while (poll(ends.data(), ends.size(), kLookMilliseconds) <= 0) {
    if (!head && !lives()) return std::nullopt;
    const auto step = watch.look();
    if (!step || *step < action.step) continue;
    const Strike strike{.seen_step = *step, .time = context_.system.clock.now()};
    if (const auto done = action.act(pointer)) return strike;
    return std::nullopt;
  }
  return std::nullopt;
}

void RehearsalRuns::remove(const RunPointer& pointer) {
  remove_run(pointer, context_);
  std::erase_if(started_, [id = pointer.run_id](const RunPointer& run) { return run.run_id == id; });
}

void RehearsalRuns::remove_all() {
  for (const auto& run : started_) remove_run(run, context_);
  started_.clear();
}

Launcher& RehearsalRuns::launcher() {
  if (!launcher_) launcher_ = launcher_here().make(context_.seams());
  return *launcher_;
}

Expected<void> signal_head(const RunPointer& run, int signal, const Context& context) {
  const auto status = load_recorded_status(run);
  if (!status.head) return fail(ExitCode::not_found, "run " + run.run_id + " has no head");
  const auto process = open_process(*status.head, context.system.host);
  if (!process) return tl::unexpected(process.error());
  return context.system.host.signal(*process, signal);
}

/// The ranks themselves get it from head.
void signal_children_of_ranks(const RunPointer& run, int signal, const Context& context) {
  const auto status = load_recorded_status(run, RankEvents::load);
  if (status.attempts.empty()) return;
  for (const auto& rank : status.attempts.back().ranks) {
    if (rank.ended) continue;
    std::vector<int> descendants;
    add_descendants(rank.pid, descendants);
    for (const int pid : descendants) {
      if (const auto process = context.system.host.open_process(pid))
        (void)context.system.host.signal(*process, signal);
    }
  }
}

Expected<void> kill_rank(const RunPointer& run, int rank, const Context& context) {
  const auto status = load_recorded_status(run, RankEvents::load);
  const auto* running = find_running(status, rank);
  if (!running) return fail(ExitCode::not_found, fmt::format("rank {} is not running", rank));
  const auto process = context.system.host.open_process(running->pid);
  if (!process) return tl::unexpected(process.error());
  // Only now does the number stay with the process, if it has not ended in between.
  const auto later = load_recorded_status(run, RankEvents::load);
  const auto* still = find_running(later, rank);
  if (!still || still->pid != running->pid)
    return fail(ExitCode::not_found, fmt::format("rank {} has ended", rank));
  return context.system.host.signal(*process, SIGKILL);
}

}  // namespace ddp::cli
