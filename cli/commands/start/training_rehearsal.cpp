#include "cli/commands/start/training_rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "cli/commands/start/disturbed_run.hpp"
#include "cli/commands/start/undisturbed_run.hpp"
#include "cli/output/count_text.hpp"
#include "cli/rehearsal/checkpoint_comparison.hpp"
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

/// What the scheduler would send ahead of the time limit, or at a preemption.
int stop_signal_of(const RunSpec& job) {
  return parse_signal(job.stop_signal().value_or("TERM")).value_or(SIGTERM);
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

tl::expected<JobPace, Errors> measure_pace(const RehearsalScene& scene) {
  const auto stop = [&scene](const RunPointer& run) { return signal_head(run, SIGTERM, scene.context); };
  const auto ended = scene.runs.run(make_pace_spec(scene.small), StepAction{kPaceSteps, stop});
  if (!ended) return tl::unexpected(ended.error());
  const auto state = ended->run.status.state;
  const RunFolder folder(ended->run.pointer.run_dir);
  const auto step = time_of_step(load_training_history(folder));
  TrainingWatch records(folder, 0);
  const auto& newest = records.look();
  const bool stopped = ended->strike && state == RunState::cancelled;
  if (!(state == RunState::succeeded || stopped) || !step || !newest)
    return failed_rehearsal("first", ended->run);
  const auto total_steps = newest->total_steps;
  scene.runs.remove(ended->run.pointer);
  return JobPace{.step = *step,
                 .steps_per_epoch = steps_per_epoch_of_job(total_steps, scene.small, scene.job)};
}

tl::expected<KnownRun, Errors> run_steps(const RehearsalScene& scene, std::int64_t steps) {
  scene.context.reporter.note(
      fmt::format("running {} without disturbance", render_count(static_cast<std::size_t>(steps), "step")));
  return run_undisturbed(make_rehearsal_spec(scene.small, steps), scene.runs);
}

DisturbedOrder make_order(const RehearsalScene& scene, std::int64_t steps) {
  auto spec = make_rehearsal_spec(scene.small, steps);
  spec.name += "-rehearsal";
  return {.spec = std::move(spec),
          .steps = steps,
          .stop_signal = stop_signal_of(scene.job),
          .disturbances = choose_disturbances(scene.terms.seed, steps, scene.terms.ranks),
          .hint = fmt::format("rehearse more steps: --steps {}", steps * 4)};
}

tl::expected<ResultComparison, Errors> compare_results(const KnownRun& undisturbed,
                                                       const KnownRun& disturbed) {
  for (const auto* run : {&undisturbed, &disturbed})
    if (!run->checkpoint)
      return refuse({ExitCode::run_failed, "run " + run->pointer.run_id + " has written no checkpoint",
                     "see: ddpsubmit describe " + run->pointer.run_id});
  auto comparison = compare_checkpoints(undisturbed.checkpoint->folder, disturbed.checkpoint->folder);
  if (!comparison) return refuse(comparison.error());
  return std::move(*comparison);
}

/// Adds what checkpoints cost, and how far apart the job writes them.
void add_interval(const RehearsalScene& scene, JobPace pace, const RunFolder& undisturbed,
                  RehearsalReport& report) {
  pace.step = time_of_step(load_training_history(undisturbed)).value_or(pace.step);
  report.step = pace.step;
  report.checkpoint = cost_of_checkpoint(load_checkpoint_records(undisturbed), report.steps);
  report.steps_of_job = count_steps(*scene.job.train, pace);
  report.configured = find_configured_interval(*scene.job.train, pace);
  report.mtbf = scene.terms.mtbf;
  report.mtbf_source = scene.terms.mtbf_source;
}

}  // namespace

tl::expected<RehearsalReport, Errors> hold_training_rehearsal(const RehearsalScene& scene) {
  const auto& terms = scene.terms;
  const auto pace = measure_pace(scene);
  if (!pace) return tl::unexpected(pace.error());
  const auto steps = terms.steps.value_or(choose_steps(pace->step));
  const auto undisturbed = run_steps(scene, steps);
  if (!undisturbed) return tl::unexpected(undisturbed.error());
  auto disturbed = run_disturbed(make_order(scene, steps), scene.runs, scene.context);
  if (!disturbed) return tl::unexpected(disturbed.error());
  auto result = compare_results(*undisturbed, disturbed->run);
  if (!result) return tl::unexpected(result.error());
  RehearsalReport report{.ranks = terms.ranks,
                         .ranks_of_job = scene.job.world_size(),
                         .steps = steps,
                         .seed = terms.seed,
                         .stop = std::move(disturbed->stop),
                         .kill = disturbed->kill,
                         .result = std::move(*result)};
  add_interval(scene, *pace, RunFolder(undisturbed->pointer.run_dir), report);
  return report;
}

}  // namespace ddp::cli
