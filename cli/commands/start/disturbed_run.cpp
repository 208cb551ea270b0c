#include "cli/commands/start/disturbed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/record/signal_name.hpp"

namespace ddp::cli {
namespace {

tl::unexpected<Errors> too_late(std::string_view what, const DisturbedOrder& order) {
  return refuse({ExitCode::run_failed,
                 fmt::format("the run had done all its {} before {}",
                             render_count(static_cast<std::size_t>(order.steps), "step"), what),
                 order.hint});
}

/// One that leaves with a code of its own has not stopped as it meant to. nullopt: there is none.
std::optional<RankStatus> find_failed_in_stop(const RunPointer& run) {
  const auto status = load_recorded_status(run, RankEvents::load);
  const auto& ranks = status.attempts.back().ranks;
  const auto found = std::ranges::find_if(ranks, [](const RankStatus& rank) {
    const bool obeyed = rank.ended_by == name_of(EndedBy::agent) || rank.code == kExitStopped;
    return !obeyed && rank.code.value_or(0) != 0;
  });
  return found == ranks.end() ? std::nullopt : std::optional(*found);
}

tl::unexpected<Errors> failed_in_stop(const RankStatus& rank, const DisturbedOrder& order,
                                      const KnownRun& run) {
  const std::string_view reason =
      order.reaches == StopReaches::everyone
          ? "; the scheduler sends the signal of a stop to all processes of a rank, also to workers of a "
            "DataLoader: see docs/python.md"
          : "";
  return refuse({ExitCode::run_failed,
                 fmt::format("rank {} failed when the run was stopped: exit code {}", rank.rank, *rank.code),
                 fmt::format("see: ddpsubmit logs {} --rank {}{}", run.pointer.run_id, rank.rank, reason)});
}

tl::expected<EndedRehearsal, Errors> stop_run(const DisturbedOrder& order, RehearsalRuns& runs,
                                              Context& context) {
  const auto stop = [&context, &order](const RunPointer& run) {
    if (order.reaches == StopReaches::everyone) signal_children_of_ranks(run, order.stop_signal, context);
    return signal_head(run, order.stop_signal, context);
  };
  auto ended = runs.run(order.spec, StepAction{order.disturbances.stop_step, stop});
  if (!ended) return ended;
  const auto state = ended->run.status.state;
  if (state == RunState::succeeded) return too_late("the stop signal could reach it", order);
  if (!ended->strike || state != RunState::cancelled) return failed_rehearsal("disturbed", ended->run);
  if (const auto rank = find_failed_in_stop(ended->run.pointer))
    return failed_in_stop(*rank, order, ended->run);
  return ended;
}

tl::expected<EndedRehearsal, Errors> kill_in_rerun(const RunPointer& pointer, const DisturbedOrder& order,
                                                   RehearsalRuns& runs, Context& context) {
  const int rank = order.disturbances.kill_rank;
  const auto kill = [&context, rank](const RunPointer& run) { return kill_rank(run, rank, context); };
  auto ended = runs.rerun(pointer, {order.disturbances.kill_step, kill});
  if (!ended) return ended;
  if (ended->run.status.state != RunState::succeeded) return failed_rehearsal("disturbed", ended->run);
  const auto& report = ended->run.report;
  if (!ended->strike || !report || report->failures == 0) return too_late("a rank could be killed", order);
  const auto& cause = report->attempts.front().cause;
  if (cause && cause->rank == rank && cause->signal == SIGKILL) return ended;
  return refuse({ExitCode::run_failed,
                 fmt::format("rank {} was killed, but the run failed for another reason: {}", rank,
                             cause ? cause->what : "the cause is unknown"),
                 "see: ddpsubmit describe " + pointer.run_id});
}

}  // namespace

tl::unexpected<Errors> failed_rehearsal(std::string_view which, const KnownRun& run) {
  const auto likely = render_likely_cause(run.status);
  return refuse({ExitCode::run_failed,
                 fmt::format("the {} run did not succeed, its state is {}{}{}{}{}", which,
                             words_of(run.status.state), run.status.message.empty() ? "" : ": ",
                             run.status.message, likely.empty() ? "" : "; ", likely),
                 "see: ddpsubmit describe " + run.pointer.run_id});
}

tl::expected<DisturbedRun, Errors> run_disturbed(const DisturbedOrder& order, RehearsalRuns& runs,
                                                 Context& context) {
  const auto& disturbances = order.disturbances;
  context.reporter.note(fmt::format("running it again, with a stop after step {}", disturbances.stop_step));
  const auto stopped = stop_run(order, runs, context);
  if (!stopped) return tl::unexpected(stopped.error());
  context.reporter.note("stopped; resuming it, to kill one of its ranks");
  auto ended = kill_in_rerun(stopped->run.pointer, order, runs, context);
  if (!ended) return tl::unexpected(ended.error());
  const auto history = load_training_history(RunFolder(ended->run.pointer.run_dir));
  auto stop = report_stop(ended->run.status, history, *stopped->strike, ended->submitted);
  stop.signal = signal_name(order.stop_signal);
  const auto kill = report_kill(*ended->run.report, disturbances.kill_rank, *ended->strike);
  return DisturbedRun{.run = std::move(ended->run), .stop = std::move(stop), .kill = kill};
}

}  // namespace ddp::cli
