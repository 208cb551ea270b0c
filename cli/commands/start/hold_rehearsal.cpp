#include "cli/commands/start/hold_rehearsal.hpp"

#include <fmt/format.h>

#include "cli/commands/start/command_rehearsal.hpp"
#include "cli/commands/start/training_rehearsal.hpp"
#include "cli/rehearsal/rehearsal_spec.hpp"

namespace ddp::cli {
namespace {

void tell_scale(const RehearsalScene& scene) {
  const auto& [job, small, terms, runs, context] = scene;
  const bool wants_gpus = job.resources.gpus_per_node > 0;
  const bool gets_gpus = small.resources.gpus_per_node > 0;
  auto& reporter = context.reporter;
  reporter.note(fmt::format("rehearsing with {} of {} rank{} on this machine; --seed {}", terms.ranks,
                            job.world_size(), job.world_size() == 1 ? "" : "s", terms.seed));
  if (wants_gpus && !gets_gpus)
    reporter.note("warning: this machine has no GPU for each of them; the times below are those of its CPU");
  if (gets_gpus && small.train && !small.train->deterministic)
    reporter.note(
        "warning: on GPUs two undisturbed runs may differ, too; train.deterministic=true rules that out");
  if (gets_gpus && !small.train)
    reporter.note("warning: on GPUs two undisturbed runs may differ, too, unless the program rules that out");
  if (job.max_restarts() == 0)
    reporter.note("warning: fault_tolerance.max_restarts is 0: the job itself would end at the kill");
}

}  // namespace

tl::expected<RehearsalReport, Errors> hold_rehearsal(const RunSpec& job, const RehearsalTerms& terms,
                                                     RehearsalRuns& runs, Context& context) {
  const auto small = make_small_spec(job, terms.ranks, context.system.host.resources());
  const RehearsalScene scene{.job = job, .small = small, .terms = terms, .runs = runs, .context = context};
  tell_scale(scene);
  return small.train ? hold_training_rehearsal(scene) : hold_command_rehearsal(scene);
}

}  // namespace ddp::cli
