#include "jobenv/agent/sweep/sweep_point.hpp"

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

Expected<std::int64_t> number_in(const EnvMap& env, const char* name) {
  if (const auto number = parse_whole_number(env.get(name).value_or(""))) return *number;
  return fail(ExitCode::config_invalid, std::string("the folder is that of a sweep, and ") + name +
                                            " names no task of its array: '" + env.get(name).value_or("") +
                                            "'");
}

}  // namespace

Expected<std::filesystem::path> resolve_point(const std::filesystem::path& run_dir, const EnvMap& env) {
  const RunFolder folder(run_dir);
  std::error_code error;
  if (!std::filesystem::exists(folder.sweep_record(), error)) return run_dir;
  const auto first = number_in(env, "DDPSUBMIT_FIRST_POINT");
  if (!first) return tl::unexpected(first.error());
  const auto task = number_in(env, "SLURM_ARRAY_TASK_ID");
  if (!task) return tl::unexpected(task.error());
  return folder.point_folder(static_cast<int>(*first + *task)).root();
}

}  // namespace ddp::agent
