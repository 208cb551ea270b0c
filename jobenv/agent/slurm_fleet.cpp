#include "jobenv/agent/slurm_fleet.hpp"

#include <sys/wait.h>

#include <csignal>
#include <vector>

#include "jobenv/agent/control_protocol.hpp"
#include "jobenv/agent/head_address.hpp"
#include "jobenv/agent/lease.hpp"
#include "jobenv/agent/slurm_job.hpp"

namespace ddp::agent {
namespace {

/// For srun to end after its tasks were told to, then after each signal.
constexpr std::chrono::seconds kSrunPatience{10};

std::string describe_srun_end(int status) {
  if (WIFSIGNALED(status)) return "srun was killed by signal " + signal_name(WTERMSIG(status));
  return "srun ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

SlurmFleet::SlurmFleet(EventLoop& loop, SlurmFleetSettings settings, OnEvent on_event)
    : loop_(loop), settings_(std::move(settings)), on_event_(std::move(on_event)) {}

SlurmFleet::~SlurmFleet() {
  loop_.cancel(pulse_);
  loop_.cancel(patience_);
  if (srun_ > 0) loop_.forget_child(srun_);
}

Expected<void> SlurmFleet::launch() {
  const Reach reach = settings_.plan.nodes == 1 ? Reach::this_host : Reach::all_hosts;
  auto server = HeadServer::open(loop_, reach, settings_.nonce,
                                 [this](const Hello& hello, std::unique_ptr<ControlConnection> connection) {
                                   welcome(hello, std::move(connection));
                                 });
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  const auto srun = spawn(make_srun());
  if (!srun) return tl::unexpected(srun.error());
  srun_ = *srun;
  loop_.on_exit_of(srun_, [this](int status) { on_srun_exit(status); });
  pulse_ = loop_.after(kPulse, [this] { check_pulse(); });
  return {};
}

ChildProgram SlurmFleet::make_srun() const {
  ChildProgram srun{render_srun_argv(settings_.plan), settings_.environment, -1, settings_.descriptor_limit};
  std::string endpoints;
  for (const std::string& endpoint : server_->endpoints())
    endpoints += (endpoints.empty() ? "" : ",") + endpoint;
  srun.environment.set(kHeadEndpoints, endpoints);
  srun.environment.set(kHeadNonce, settings_.nonce);
  srun.environment.set(kHeadRunDir, settings_.plan.run_dir);
  // The option says it; versions of srun differ in which of these they read beside it, and refuse two that
  // differ.
  for (const char* name : {"SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "SLURM_TRES_PER_TASK"}) {
    srun.environment.unset(name);
  }
  return srun;
}

void SlurmFleet::welcome(const Hello& hello, std::unique_ptr<ControlConnection> connection) {
  const AgentId agent = next_agent_++;
  connection->set_handlers({[this, agent](std::string_view line) { on_line(agent, line); },
                            [this, agent](const std::string& why) { lose(agent, why); }});
  const ConnectionEnds ends{connection->local_host(), connection->remote_host()};
  connections_[agent] = std::move(connection);
  for (const RankPlace& place : hello.ranks) ranks_seen_.insert(place.rank);
  send(agent, Welcome{});
  on_event_(AgentJoined{agent, hello, ends});
}

void SlurmFleet::on_line(AgentId agent, std::string_view line) {
  const auto message = parse_agent_message(line);
  if (!message) return lose(agent, message.error().message);
  on_event_(AgentSaid{agent, *message});
}

void SlurmFleet::lose(AgentId agent, const std::string& why) {
  if (connections_.erase(agent) > 0) on_event_(AgentLost{agent, why});
}

void SlurmFleet::send(AgentId agent, const HeadMessage& message) {
  const auto found = connections_.find(agent);
  if (found != connections_.end()) found->second->send_line(render_message(message));
}

void SlurmFleet::check_pulse() {
  std::vector<AgentId> silent;
  for (const auto& [agent, connection] : connections_) {
    if (connection->silence() > kLease) silent.push_back(agent);
    connection->send_line(render_message(HeadMessage{Ping{}}));
  }
  for (const AgentId agent : silent) {
    lose(agent, "no word for " + std::to_string(std::chrono::seconds(kLease).count()) + " s");
  }
  pulse_ = loop_.after(kPulse, [this] { check_pulse(); });
}

void SlurmFleet::on_srun_exit(int status) {
  srun_ = -1;
  if (!dismissed_) return on_event_(LauncherEnded{describe_srun_end(status)});
  loop_.cancel(patience_);
  dismissed_();
}

void SlurmFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  for (const auto& [agent, connection] : connections_)
    connection->send_line(render_message(HeadMessage{End{}}));
  if (srun_ < 0) return dismissed_();
  const auto tasks = static_cast<std::size_t>(settings_.plan.nodes) *
                     static_cast<std::size_t>(settings_.plan.tasks_per_node);
  const bool all_will_end = ranks_seen_.size() == tasks;  // tasks that never connected know of nothing
  if (!all_will_end) return insist(SIGTERM);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGTERM); });
}

void SlurmFleet::insist(int signal) {
  kill(srun_, signal);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGKILL); });
}

}  // namespace ddp::agent
