#include "jobenv/agent/launchers/slurm/slurm_job.hpp"

#include <algorithm>
#include <ctime>

#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/log_pattern.hpp"

namespace ddp::agent {
namespace {

/// What Slurm writes for %a in the name of a log of a job that is in no array.
constexpr const char* kNoTask = "4294967294";

std::optional<std::int64_t> number_in(const EnvMap& env, std::string_view name) {
  return parse_whole_number(env.get(name).value_or(""));
}

}  // namespace

Expected<SchedulerJob> parse_slurm_job(const EnvMap& env) {
  const auto refuse = [](const std::string& why) {
    return fail(ExitCode::run_failed, why, "head is started by the script that 'ddpsubmit run' submits");
  };
  SchedulerJob job;
  job.id = env.get("SLURM_JOB_ID").value_or("");
  if (job.id.empty()) return refuse("this is not a Slurm job: SLURM_JOB_ID is not set");
  const auto array = env.get("SLURM_ARRAY_JOB_ID");
  const auto task = env.get("SLURM_ARRAY_TASK_ID");
  job.control_id = array && task ? *array + "_" + *task : job.id;
  job.cluster = env.get("SLURM_CLUSTER_NAME").value_or("");
  job.restart_count = static_cast<int>(number_in(env, "SLURM_RESTART_COUNT").value_or(0));
  const auto hosts = HostList::parse(env.get("SLURM_JOB_NODELIST").value_or(""));
  if (!hosts) return tl::unexpected(hosts.error().context("SLURM_JOB_NODELIST"));
  job.hosts = hosts->hosts();
  const auto nodes = number_in(env, "SLURM_JOB_NUM_NODES");
  if (!nodes || static_cast<std::size_t>(*nodes) != job.hosts.size()) {
    return refuse("SLURM_JOB_NODELIST names " + std::to_string(job.hosts.size()) +
                  " nodes, SLURM_JOB_NUM_NODES is '" + env.get("SLURM_JOB_NUM_NODES").value_or("") + "'");
  }
  if (const auto end = number_in(env, "SLURM_JOB_END_TIME")) {
    job.end_time = std::chrono::system_clock::time_point(std::chrono::seconds(*end));
  }
  return job;
}

Expected<void> check_head_node(const SchedulerJob& job, const LaunchPlan& plan, const std::string& host,
                               const std::optional<std::string>& resolved) {
  const auto refuse = [](const std::string& why) { return fail(ExitCode::run_failed, why); };
  if (static_cast<std::size_t>(plan.nodes) != job.hosts.size()) {
    return refuse("the plan has " + std::to_string(plan.nodes) + " nodes, job " + job.id + " has " +
                  std::to_string(job.hosts.size()));
  }
  const std::string& first = job.hosts.front();
  if (resolved && *resolved != first) {
    return refuse("scontrol says that the first node is " + *resolved + ", SLURM_JOB_NODELIST says " + first);
  }
  if (host != first)
    return refuse("head runs on " + host + ", the first node of job " + job.id + " is " + first);
  return {};
}

JobIds read_slurm_job_ids(const EnvMap& env) {
  return {.job_id = env.get("SLURM_JOB_ID").value_or(""),
          .array_job_id = env.get("SLURM_ARRAY_JOB_ID").value_or(""),
          .array_task_id = env.get("SLURM_ARRAY_TASK_ID").value_or(""),
          .restart_count = static_cast<int>(number_in(env, "SLURM_RESTART_COUNT").value_or(0))};
}

EnvMap environment_of_tools(EnvMap env) {
  env.remove_if([](std::string_view name) { return name.starts_with("SQUEUE_"); });
  env.set("SLURM_TIME_FORMAT", "standard");
  return env;
}

std::vector<std::string> render_srun_argv(const LaunchPlan& plan) {
  const auto option = [](const char* name, int value) {
    return std::string(name) + "=" + std::to_string(value);
  };
  std::vector<std::string> argv = {"srun",
                                   "--kill-on-bad-exit=1",
                                   "--wait=0",
                                   "--unbuffered",
                                   "--distribution=block",
                                   option("--nodes", plan.nodes),
                                   option("--ntasks", plan.nodes * plan.tasks_per_node),
                                   option("--ntasks-per-node", plan.tasks_per_node),
                                   option("--cpus-per-task", plan.cpus_per_task),
                                   "--export=ALL"};
  if (plan.process_manager != ProcessManagerKind::launcher) argv.emplace_back("--mpi=none");
  argv.insert(argv.end(), plan.start_options.begin(), plan.start_options.end());
  argv.insert(argv.end(), {plan.agent, "task"});
  return argv;
}

std::string name_output_link(const LaunchPlan& plan, const EnvMap& env) {
  const auto value = [&env](const char* name) { return env.get(name).value_or(""); };
  const auto job = value("SLURM_JOB_ID");
  const auto node = value("SLURMD_NODENAME");
  return expand_log_pattern(plan.output_link, {{'A', env.get("SLURM_ARRAY_JOB_ID").value_or(job)},
                                               {'a', env.get("SLURM_ARRAY_TASK_ID").value_or(kNoTask)},
                                               {'J', job},
                                               {'j', job},
                                               {'N', node.substr(0, node.find('.'))},
                                               {'n', "0"},
                                               {'t', "0"},
                                               {'u', value("SLURM_JOB_USER")},
                                               {'x', value("SLURM_JOB_NAME")}});
}

std::vector<std::string> render_report_argv(const SchedulerJob& job) {
  return {"scontrol", "--oneliner", "show", "job", job.control_id};
}

std::vector<std::string> render_requeue_argv(const SchedulerJob& job) {
  return {"scontrol", "requeue", job.control_id};
}

std::vector<std::string> render_lost_nodes_argv(const SchedulerJob& job) {
  return {
      "sinfo",      "--noheader", "--Node", "--nodes=" + HostList(job.hosts).compress(), "--states=down,fail",
      "--format=%N"};
}

std::vector<std::string> render_trial_argv(const std::string& script, const std::string& hosts) {
  return {"sbatch", "--test-only", "--exclude=" + hosts, script};
}

std::vector<std::string> render_exclude_argv(const SchedulerJob& job, const std::string& hosts) {
  return {"scontrol", "update", "JobId=" + job.control_id, "ExcNodeList=" + hosts};
}

std::optional<std::chrono::system_clock::time_point> parse_slurm_time(const std::string& text) {
  std::tm time{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (end == nullptr || (*end != '\0' && *end != '\n')) return std::nullopt;
  time.tm_isdst = -1;
  const std::time_t seconds = std::mktime(&time);
  if (seconds < 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(seconds);
}

}  // namespace ddp::agent
