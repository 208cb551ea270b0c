#include "jobenv/record/plan/plan_file.hpp"

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp {

Expected<LaunchPlan> read_plan(const RunFolder& folder) {
  const std::string path = folder.plan();
  const auto text = load_file(path);
  if (!text)
    return fail(ExitCode::config_invalid, text.error().message, "--run-dir names the folder of a run");
  auto plan = parse_launch_plan(parse_json(*text));
  if (!plan) return fail(ExitCode::config_invalid, path + ": " + plan.error().message);
  return plan;
}

Expected<LaunchPlan> load_plan(const RunFolder& folder) {
  auto plan = read_plan(folder);
  if (!plan) return plan;
  std::error_code error;
  if (!std::filesystem::equivalent(plan->run_dir, folder.root(), error)) {
    return fail(ExitCode::config_invalid,
                folder.plan().string() + ": the plan is for the folder '" + plan->run_dir + "'",
                "a run folder cannot be moved or copied");
  }
  return plan;
}

}  // namespace ddp
