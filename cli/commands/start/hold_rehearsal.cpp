#include "cli/commands/start/hold_rehearsal.hpp"

#include <fmt/format.h>

#include "cli/commands/start/command_rehearsal.hpp"
#include "cli/commands/start/training_rehearsal.hpp"
#include "cli/output/count_text.hpp"
#include "cli/rehearsal/rehearsal_spec.hpp"

namespace ddp::cli {
namespace {

void tell_scale(const RehearsalScene& scene) {
  const auto& [job, small, terms, runs, context] = scene;
  const bool wants_gpus = job.resources.gpus_per_node > 0;
  const bool gets_gpus = small.resources.gpus_per_node > 0;
  auto& reporter = context.reporter;
  reporter.note(fmt::format("rehearsing with {} of {} on this machine; --seed {}", terms.ranks,
                            render_count(static_cast<std::size_t>(job.world_size()), "rank"), terms.seed));
  if (wants_gpus && !gets_gpus)
    reporter.note(
        "warning: this machine has too few GPUs: the ranks run on its CPU, and the times below are CPU "
        "times");
  if (gets_gpus && small.train && !small.train->deterministic)
    reporter.note(
        "warning: on GPUs even two undisturbed runs may differ; set train.deterministic=true to avoid that");
  if (gets_gpus && !small.train)
    reporter.note(
        "warning: on GPUs even two undisturbed runs may differ, unless the program is deterministic");
  if (job.max_restarts() == 0)
    reporter.note(
        "warning: fault_tolerance.max_restarts is 0: the real job would fail when a rank is killed");
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
