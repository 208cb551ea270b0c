#include "cli/commands/start/command_rehearsal.hpp"

#include <fmt/format.h>

#include <csignal>

#include "cli/commands/start/disturbed_run.hpp"
#include "cli/commands/start/undisturbed_run.hpp"
#include "cli/output/count_text.hpp"
#include "cli/rehearsal/output_comparison.hpp"
#include "cli/rehearsal/rehearsal_spec.hpp"

namespace ddp::cli {
namespace {

constexpr const char* kMore = "let the program do more steps, for example with environment.set.EPOCHS=3";

std::filesystem::path output_folder_of(const KnownRun& run) {
  return RunFolder(run.pointer.run_dir).output();
}

/// How many steps the undisturbed run has done, as its ranks have told.
tl::expected<std::int64_t, Errors> count_told_steps(const KnownRun& undisturbed) {
  const auto& told = undisturbed.status.attempts.back().last_step;
  if (!told || *told == 0)
    return refuse({ExitCode::run_failed, "the program has not reported a step",
                   "call ddpsubmit.step(n, total) in the training loop: see docs/python.md"});
  const auto steps = static_cast<std::int64_t>(*told);
  if (steps >= kFewestSteps) return steps;
  return refuse({ExitCode::run_failed,
                 fmt::format("the program has reported {}, but a rehearsal needs at least {} steps",
                             render_count(static_cast<std::size_t>(steps), "step"), kFewestSteps),
                 kMore});
}

struct UndisturbedCommand {
  KnownRun run;
  std::int64_t steps = 0;
};

/// A run with which no other can be compared is an error.
tl::expected<UndisturbedCommand, Errors> run_whole(const RehearsalScene& scene) {
  scene.context.reporter.note(
      "the command runs twice with the same arguments: files that it writes outside its output folder are "
      "overwritten");
  scene.context.reporter.note("running the whole command without disturbance");
  auto run = run_undisturbed(make_rehearsal_spec(scene.small), scene.runs);
  if (!run) return tl::unexpected(run.error());
  const auto steps = count_told_steps(*run);
  if (!steps) return tl::unexpected(steps.error());
  if (const auto files = find_output_files(output_folder_of(*run)); !files) return refuse(files.error());
  return UndisturbedCommand{.run = std::move(*run), .steps = *steps};
}

/// A stop as at a cancel or a preemption: a program that does not ask for stops hears of it, too.
DisturbedOrder disturb_command(const RehearsalScene& scene, std::int64_t steps) {
  auto spec = make_rehearsal_spec(scene.small);
  spec.name += "-rehearsal";
  return {.spec = std::move(spec),
          .steps = steps,
          .stop_signal = SIGTERM,
          .reaches = scene.job.launcher->traits.stop,
          .disturbances = choose_disturbances(scene.terms.seed, steps, scene.terms.ranks),
          .hint = kMore};
}

}  // namespace

tl::expected<RehearsalReport, Errors> hold_command_rehearsal(const RehearsalScene& scene) {
  const auto whole = run_whole(scene);
  if (!whole) return tl::unexpected(whole.error());
  auto disturbed = run_disturbed(disturb_command(scene, whole->steps), scene.runs, scene.context);
  if (!disturbed) return tl::unexpected(disturbed.error());
  auto result = compare_outputs(output_folder_of(whole->run), output_folder_of(disturbed->run));
  if (!result) return refuse(result.error());
  if (!result->equal())
    scene.context.reporter.note(
        "files written by torch.save may differ although their tensors are equal: see docs/rehearse.md");
  return RehearsalReport{.ranks = scene.terms.ranks,
                         .ranks_of_job = scene.job.world_size(),
                         .steps = whole->steps,
                         .seed = scene.terms.seed,
                         .stop = std::move(disturbed->stop),
                         .kill = disturbed->kill,
                         .result = std::move(*result)};
}

}  // namespace ddp::cli
