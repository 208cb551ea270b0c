#include "cli/commands/command.hpp"
#include "cli/output/table.hpp"
#include "ddp/jobenv/job_environment.hpp"

namespace ddp::cli {
namespace {

Outcome env(const Arguments&, Context& context) {
  const auto job = JobEnvironment::from(context.environment);
  if (!job) return refuse(job.error());
  std::vector<std::vector<std::string>> rows;
  nlohmann::json fields = nlohmann::json::array();
  for (const auto& row : rows_of(*job)) {
    rows.push_back({row.field, row.value, row.origin});
    fields.push_back({{"field", row.field}, {"value", row.value}, {"origin", row.origin}});
  }
  context.reporter.answer({.schema = "ddpsubmit.env.v1",
                           .value = {{"source", name_of(job->source)}, {"fields", std::move(fields)}},
                           .text = render_table(rows)});
  return ExitCode::ok;
}

}  // namespace

Command env_command() {
  return {.name = "env",
          .summary = "Inside a rank: print rank, world size and the other job fields, each with its origin",
          .operands = {},
          .options = {},
          .description =
              "The fields come from ddpsubmit, Slurm or torchrun, whichever started the program. Alone, a "
              "program is rank 0 of 1.",
          .examples = {{"env", "in a command of a run, under srun or torchrun, or alone"}},
          .run = env};
}

}  // namespace ddp::cli
