#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Reads SLURM_*. Refuses a node list that does not have SLURM_JOB_NUM_NODES names.
[[nodiscard]] Expected<SchedulerJob> parse_slurm_job(const EnvMap& env);

/// Head must run on the job's first node: `host`, its own name, and `resolved`, what scontrol made of the
/// node list, must both be the first of `job.hosts`; and the job must have the plan's nodes.
[[nodiscard]] Expected<void> check_head_node(const SchedulerJob& job, const LaunchPlan& plan,
                                             const std::string& host,
                                             const std::optional<std::string>& resolved);

/// SLURM_JOB_ID and its like, as far as they are set.
[[nodiscard]] JobIds read_slurm_job_ids(const EnvMap& env);

/// What Slurm's tools get: nothing that changes their output, and times in one format.
[[nodiscard]] EnvMap environment_of_tools(EnvMap env);

/// What head runs to start one `ddp-agent task` a rank.
[[nodiscard]] std::vector<std::string> render_srun_argv(const LaunchPlan& plan);

/// The plan's pattern of a link to the log of rank 0, filled in for the job that `env` is of.
[[nodiscard]] std::string name_output_link(const LaunchPlan& plan, const EnvMap& env);

/// What head asks about its own job; parse_job_report reads the answer.
[[nodiscard]] std::vector<std::string> render_report_argv(const SchedulerJob& job);

/// What head runs to have its own job started again.
[[nodiscard]] std::vector<std::string> render_requeue_argv(const SchedulerJob& job);

/// What head asks about the nodes of its job: the answer has a line for each one that Slurm has given up.
[[nodiscard]] std::vector<std::string> render_lost_nodes_argv(const SchedulerJob& job);

/// What head runs to learn whether Slurm can ever start `script` without `hosts`: the exit code is 0 then.
[[nodiscard]] std::vector<std::string> render_trial_argv(const std::string& script, const std::string& hosts);

/// What keeps `hosts` from the next start of the job, which has to wait for it already.
[[nodiscard]] std::vector<std::string> render_exclude_argv(const SchedulerJob& job, const std::string& hosts);

/// A time in an answer of squeue or scontrol, local time without zone; nullopt for N/A, NONE and whatever
/// else.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_slurm_time(const std::string& text);

}  // namespace ddp::agent
