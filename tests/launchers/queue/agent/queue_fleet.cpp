#include "queue_fleet.hpp"

#include <csignal>
#include <sstream>

#include "jobenv/agent/process/child_program.hpp"
#include "jobenv/agent/process/wait_status.hpp"

namespace ddp::agent {
namespace {

constexpr std::chrono::seconds kQueuePatience{10};

}  // namespace

std::vector<std::string> hosts_of_queue(const EnvMap& environment) {
  std::vector<std::string> hosts;
  std::istringstream names(environment.get("DDP_QUEUE_HOSTS").value_or(""));
  for (std::string name; std::getline(names, name, ',');) hosts.push_back(name);
  return hosts;
}

QueueFleet::QueueFleet(FleetOrder order)
    : loop_(order.loop),
      settings_(std::move(order.settings)),
      on_event_(std::move(order.on_event)),
      connections_(loop_, settings_.plan.waits, on_event_) {}

QueueFleet::~QueueFleet() {
  loop_.cancel(patience_);
  for (const auto& [agent, host] : agents_) loop_.forget_child(agent);
}

Expected<void> QueueFleet::launch() {
  if (auto opened = connections_.open(Reach::this_host); !opened) return opened;
  const auto hosts = hosts_of_queue(settings_.environment);
  for (int node = 0; node < settings_.plan.nodes; ++node) {
    if (auto started = start_agent(node, hosts.at(static_cast<std::size_t>(node))); !started) return started;
  }
  return {};
}

Expected<void> QueueFleet::start_agent(int node_rank, const std::string& host) {
  const LaunchPlan& plan = settings_.plan;
  ChildProgram agent{
      .argv = {plan.agent, "node", "--run-dir", plan.run_dir, "--node-rank", std::to_string(node_rank)},
      .environment = settings_.environment,
      .descriptor_limit = settings_.descriptor_limit};
  connections_.write_address(agent.environment, plan.run_dir);
  agent.environment.set("DDP_QUEUE_HOST", host);
  const auto pid = spawn(agent);
  if (!pid) return tl::unexpected(pid.error());
  agents_[*pid] = host;
  loop_.on_exit_of(*pid, [this, pid = *pid](int status) { on_exit(pid, status); });
  return {};
}

void QueueFleet::on_exit(pid_t agent, int status) {
  const std::string host = agents_.extract(agent).mapped();
  const bool expected = relaunching_ || dismissed_;
  if (!expected) on_event_(LauncherEnded{"the agent on " + host + " " + describe_wait_status(status)});
  if (!agents_.empty()) return;
  loop_.cancel(patience_);
  if (dismissed_) return dismissed_();
  if (relaunching_) launch_again();
}

void QueueFleet::relaunch() {
  relaunching_ = true;
  let_go();
  if (agents_.empty()) patience_ = loop_.after(std::chrono::milliseconds(0), [this] { launch_again(); });
}

void QueueFleet::launch_again() {
  relaunching_ = false;
  if (const auto launched = launch(); !launched) return on_event_(LauncherEnded{launched.error().message});
  on_event_(LauncherStarted{});
}

void QueueFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  let_go();
  if (agents_.empty()) dismissed_();
}

void QueueFleet::let_go() {
  loop_.cancel(patience_);
  connections_.end();
  patience_ = loop_.after(kQueuePatience, [this] {
    for (const auto& [agent, host] : agents_) kill(agent, SIGKILL);
  });
}

}  // namespace ddp::agent
