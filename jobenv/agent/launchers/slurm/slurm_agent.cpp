#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/slurm/slurm_fleet.hpp"
#include "jobenv/agent/launchers/slurm/slurm_inquiry.hpp"
#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/agent/launchers/slurm/sweep_point.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

std::unique_ptr<Fleet> make_slurm_fleet(FleetOrder order) {
  return std::make_unique<SlurmFleet>(order.loop, std::move(order.settings), std::move(order.on_event));
}

std::string node_name(const EnvMap& environment) {
  return environment.get("SLURMD_NODENAME").value_or("");
}

Expected<RankPlace> find_rank_of_step(const EnvMap& environment) {
  return JobEnvironment::from_slurm_step(environment).map([](const JobEnvironment& job) {
    return RankPlace{job.rank, job.local_rank, job.node_rank};
  });
}

Expected<void> find_slurm_job(const HeadPlace& place, SchedulerJob& job) {
  auto parsed = parse_slurm_job(place.environment);
  if (!parsed) return tl::unexpected(parsed.error());
  job = std::move(*parsed);
  return check_head_node(job, place.plan, place.host, place.resolved);
}

std::unique_ptr<JobInquiry> make_slurm_inquiry(EventLoop& loop, const EnvMap& environment,
                                               const LaunchPlan& plan, const SchedulerJob& job) {
  return std::make_unique<SlurmInquiry>(
      loop, environment, job,
      EndNoticeReader(RunFolder(plan.run_dir).job_output(plan.launcher, job.control_id)));
}

}  // namespace

extern const AgentLauncher slurm_agent_launcher;
const AgentLauncher slurm_agent_launcher{.name = "slurm",
                                         .make_fleet = make_slurm_fleet,
                                         .host_name = node_name,
                                         .read_job_ids = read_slurm_job_ids,
                                         .find_point = find_slurm_point,
                                         .find_rank = find_rank_of_step,
                                         .find_job = find_slurm_job,
                                         .name_output_link = name_output_link,
                                         .make_inquiry = make_slurm_inquiry};

}  // namespace ddp::agent
