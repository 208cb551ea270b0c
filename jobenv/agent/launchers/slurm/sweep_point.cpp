#include "jobenv/agent/launchers/slurm/sweep_point.hpp"

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::agent {
namespace {

Expected<std::int64_t> array_number_in(const EnvMap& env, const char* name) {
  if (const auto number = parse_whole_number(env.get(name).value_or(""))) return *number;
  return fail(ExitCode::config_invalid, std::string("this is the folder of a sweep, but ") + name +
                                            " is not the number of an array task: '" +
                                            env.get(name).value_or("") + "'");
}

}  // namespace

Expected<int> find_slurm_point(const EnvMap& env) {
  const auto first = array_number_in(env, "DDPSUBMIT_FIRST_POINT");
  if (!first) return tl::unexpected(first.error());
  const auto task = array_number_in(env, "SLURM_ARRAY_TASK_ID");
  if (!task) return tl::unexpected(task.error());
  return static_cast<int>(*first + *task);
}

}  // namespace ddp::agent
