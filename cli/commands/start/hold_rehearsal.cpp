#include "cli/commands/start/hold_rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "cli/rehearsal/disturbances.hpp"
#include "cli/rehearsal/rehearsal_spec.hpp"
#include "cli/store/metrics/training_watch.hpp"
#include "jobenv/record/signal_name.hpp"

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::int64_t kPaceSteps = 20;
/// Ranks agree on a stop about every tenth of a second: both disturbances need several of them.
constexpr Seconds kTraining{3};
constexpr std::int64_t kFewestByDefault = 40;
constexpr std::int64_t kMostByDefault = 20'000;

tl::unexpected<Errors> failed(std::string_view which, const KnownRun& run) {
  return refuse({ExitCode::run_failed,
                 fmt::format("the {} run was to succeed, and is {}{}{}", which, name_of(run.status.state),
                             run.status.message.empty() ? "" : ": ", run.status.message),
                 "see: ddpsubmit describe " + run.pointer.run_id});
}

tl::unexpected<Errors> too_late(std::string_view what, std::int64_t steps) {
  return refuse({ExitCode::run_failed,
                 fmt::format("the training of {} steps was over before {}", steps, what),
                 fmt::format("rehearse more of it: --steps {}", steps * 4)});
}

/// What the scheduler would send ahead of the time limit, or at a preemption.
int stop_signal_of(const RunSpec& job) {
  return parse_signal(job.stop_signal().value_or("TERM")).value_or(SIGTERM);
}

/// The steps of one rehearsal, in their order.
class RehearsalPlay {
 public:
  RehearsalPlay(const RunSpec& job, const RehearsalTerms& terms, RehearsalRuns& runs, Context& context)
      : job_(job),
        small_(make_small_spec(job, terms.ranks, context.system.host.resources())),
        terms_(terms),
        runs_(runs),
        context_(context) {}

  tl::expected<RehearsalReport, Errors> play();

 private:
  tl::expected<JobPace, Errors> measure_pace();
  tl::expected<EndedRehearsal, Errors> run_undisturbed(std::int64_t steps);
  /// Both halves of the disturbed run.
  tl::expected<KnownRun, Errors> run_disturbed(const Disturbances& disturbances, RehearsalReport& report);
  tl::expected<EndedRehearsal, Errors> stop_run(std::int64_t at_step, std::int64_t steps);
  tl::expected<EndedRehearsal, Errors> kill_in_rerun(const RunPointer& pointer,
                                                     const Disturbances& disturbances, std::int64_t steps);
  void tell_scale() const;

  const RunSpec& job_;
  RunSpec small_;
  const RehearsalTerms& terms_;
  RehearsalRuns& runs_;
  Context& context_;
};

void RehearsalPlay::tell_scale() const {
  const bool wants_gpus = job_.resources.gpus_per_node > 0;
  const bool gets_gpus = small_.resources.gpus_per_node > 0;
  auto& reporter = context_.reporter;
  reporter.note(fmt::format("rehearsing with {} of {} rank{} on this machine; --seed {}", terms_.ranks,
                            job_.world_size(), job_.world_size() == 1 ? "" : "s", terms_.seed));
  if (wants_gpus && !gets_gpus)
    reporter.note("warning: this machine has no GPU for each of them; the times below are those of its CPU");
  if (gets_gpus && !small_.train->deterministic)
    reporter.note(
        "warning: on GPUs two undisturbed runs may differ, too; train.deterministic=true rules that out");
  if (job_.max_restarts() == 0)
    reporter.note("warning: fault_tolerance.max_restarts is 0: the job itself would end at the kill");
}

std::int64_t choose_steps(Seconds step) {
  const double wanted = std::ceil(kTraining / std::max(step, Seconds(1e-6)));
  return std::clamp(static_cast<std::int64_t>(std::min(wanted, 1e9)), kFewestByDefault, kMostByDefault);
}

/// Ranks of the job share an epoch out among more than those of the rehearsal.
std::int64_t steps_per_epoch_of_job(std::int64_t small_steps, const RunSpec& small, const RunSpec& job) {
  const std::int64_t copies = count_copies(*small.train, small.world_size());
  const std::int64_t copies_of_job = count_copies(*job.train, job.world_size());
  return std::max<std::int64_t>(1, (small_steps * copies + copies_of_job - 1) / copies_of_job);
}

tl::expected<JobPace, Errors> RehearsalPlay::measure_pace() {
  const auto stop = [this](const RunPointer& run) { return signal_head(run, SIGTERM, context_); };
  const auto ended = runs_.run(make_pace_spec(small_), StepAction{kPaceSteps, stop});
  if (!ended) return tl::unexpected(ended.error());
  const auto state = ended->run.status.state;
  const RunFolder folder(ended->run.pointer.run_dir);
  const auto step = time_of_step(load_training_history(folder));
  TrainingWatch records(folder, 0);
  const auto& newest = records.look();
  const bool stopped = ended->strike && state == RunState::cancelled;
  if (!(state == RunState::succeeded || stopped) || !step || !newest) return failed("first", ended->run);
  const auto total_steps = newest->total_steps;
  runs_.remove(ended->run.pointer);
  return JobPace{.step = *step, .steps_per_epoch = steps_per_epoch_of_job(total_steps, small_, job_)};
}

tl::expected<EndedRehearsal, Errors> RehearsalPlay::run_undisturbed(std::int64_t steps) {
  auto spec = make_rehearsal_spec(small_, steps);
  spec.name += "-undisturbed";
  auto ended = runs_.run(std::move(spec), std::nullopt);
  if (ended && ended->run.status.state != RunState::succeeded) return failed("undisturbed", ended->run);
  return ended;
}

tl::expected<EndedRehearsal, Errors> RehearsalPlay::stop_run(std::int64_t at_step, std::int64_t steps) {
  auto spec = make_rehearsal_spec(small_, steps);
  spec.name += "-rehearsal";
  const int signal = stop_signal_of(job_);
  const auto stop = [this, signal](const RunPointer& run) { return signal_head(run, signal, context_); };
  auto ended = runs_.run(std::move(spec), StepAction{at_step, stop});
  if (!ended) return ended;
  const auto state = ended->run.status.state;
  if (state == RunState::succeeded) return too_late("the stop signal could reach it", steps);
  if (!ended->strike || state != RunState::cancelled) return failed("disturbed", ended->run);
  return ended;
}

tl::expected<EndedRehearsal, Errors> RehearsalPlay::kill_in_rerun(const RunPointer& pointer,
                                                                  const Disturbances& disturbances,
                                                                  std::int64_t steps) {
  const auto kill = [this, rank = disturbances.kill_rank](const RunPointer& run) {
    return kill_rank(run, rank, context_);
  };
  auto ended = runs_.rerun(pointer, {disturbances.kill_step, kill});
  if (!ended) return ended;
  if (ended->run.status.state != RunState::succeeded) return failed("disturbed", ended->run);
  const auto& report = ended->run.report;
  if (!ended->strike || !report || report->failures == 0) return too_late("a rank could be killed", steps);
  const auto& cause = report->attempts.front().cause;
  if (cause && cause->rank == disturbances.kill_rank && cause->signal == SIGKILL) return ended;
  return refuse({ExitCode::run_failed,
                 fmt::format("rank {} was killed, and the run has failed otherwise: {}",
                             disturbances.kill_rank, cause ? cause->what : "no cause is known"),
                 "see: ddpsubmit describe " + pointer.run_id});
}

tl::expected<KnownRun, Errors> RehearsalPlay::run_disturbed(const Disturbances& disturbances,
                                                            RehearsalReport& report) {
  const auto stopped = stop_run(disturbances.stop_step, report.steps);
  if (!stopped) return tl::unexpected(stopped.error());
  context_.reporter.note("stopped; starting it again, to kill a rank");
  auto ended = kill_in_rerun(stopped->run.pointer, disturbances, report.steps);
  if (!ended) return tl::unexpected(ended.error());
  const auto history = load_training_history(RunFolder(ended->run.pointer.run_dir));
  report.stop = report_stop(ended->run.status, history, *stopped->strike, ended->submitted);
  report.stop.signal = signal_name(stop_signal_of(job_));
  report.kill = report_kill(*ended->run.report, disturbances.kill_rank, *ended->strike);
  return std::move(ended->run);
}

tl::expected<CheckpointComparison, Errors> compare_results(const KnownRun& undisturbed,
                                                           const KnownRun& disturbed) {
  for (const auto* run : {&undisturbed, &disturbed})
    if (!run->checkpoint)
      return refuse({ExitCode::run_failed, "run " + run->pointer.run_id + " has left no checkpoint",
                     "see: ddpsubmit describe " + run->pointer.run_id});
  auto comparison = compare_checkpoints(undisturbed.checkpoint->folder, disturbed.checkpoint->folder);
  if (!comparison) return refuse(comparison.error());
  return std::move(*comparison);
}

tl::expected<RehearsalReport, Errors> RehearsalPlay::play() {
  tell_scale();
  auto pace = measure_pace();
  if (!pace) return tl::unexpected(pace.error());
  RehearsalReport report{.ranks = terms_.ranks,
                         .ranks_of_job = job_.world_size(),
                         .steps = terms_.steps.value_or(choose_steps(pace->step)),
                         .seed = terms_.seed,
                         .mtbf = terms_.mtbf,
                         .mtbf_source = terms_.mtbf_source};
  context_.reporter.note(fmt::format("{} steps, undisturbed", report.steps));
  const auto undisturbed = run_undisturbed(report.steps);
  if (!undisturbed) return tl::unexpected(undisturbed.error());
  const auto disturbances = choose_disturbances(terms_.seed, report.steps, terms_.ranks);
  context_.reporter.note(fmt::format("the same, to be stopped after step {}", disturbances.stop_step));
  const auto disturbed = run_disturbed(disturbances, report);
  if (!disturbed) return tl::unexpected(disturbed.error());
  auto result = compare_results(undisturbed->run, *disturbed);
  if (!result) return tl::unexpected(result.error());
  report.result = std::move(*result);
  const RunFolder folder(undisturbed->run.pointer.run_dir);
  pace->step = time_of_step(load_training_history(folder)).value_or(pace->step);
  report.step = pace->step;
  report.checkpoint = cost_of_checkpoint(load_checkpoint_records(folder), report.steps);
  report.steps_of_job = count_steps(*job_.train, *pace);
  report.configured = find_configured_interval(*job_.train, *pace);
  return report;
}

}  // namespace

tl::expected<RehearsalReport, Errors> hold_rehearsal(const RunSpec& job, const RehearsalTerms& terms,
                                                     RehearsalRuns& runs, Context& context) {
  return RehearsalPlay(job, terms, runs, context).play();
}

}  // namespace ddp::cli
