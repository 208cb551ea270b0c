#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "queue_fleet.hpp"

namespace ddp::agent {
namespace {

std::unique_ptr<Fleet> make_queue_fleet(FleetOrder order) {
  return std::make_unique<QueueFleet>(std::move(order));
}

/// An agent is told its own; head is on the first one.
std::string host_of_queue(const EnvMap& environment) {
  return environment.get("DDP_QUEUE_HOST").value_or(hosts_of_queue(environment).front());
}

JobIds read_queue_ids(const EnvMap& environment) {
  JobIds ids;
  ids.job_id = environment.get("DDP_QUEUE_JOB").value_or("");
  return ids;
}

Expected<void> find_queue_job(const HeadPlace& place, SchedulerJob& job) {
  job.id = job.control_id = place.environment.get("DDP_QUEUE_JOB").value_or("");
  job.hosts = hosts_of_queue(place.environment);
  job.hosts.resize(static_cast<std::size_t>(place.plan.nodes));
  if (const auto end = parse_whole_number(place.environment.get("DDP_QUEUE_END").value_or("")))
    job.end_time = std::chrono::system_clock::time_point(std::chrono::seconds(*end));
  return {};
}

}  // namespace

extern const AgentLauncher queue_agent_launcher;
const AgentLauncher queue_agent_launcher{.name = "queue",
                                         .make_fleet = make_queue_fleet,
                                         .host_name = host_of_queue,
                                         .read_job_ids = read_queue_ids,
                                         .find_job = find_queue_job};

}  // namespace ddp::agent
