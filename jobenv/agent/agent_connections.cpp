#include "jobenv/agent/agent_connections.hpp"

#include <vector>

#include "jobenv/agent/control_protocol.hpp"
#include "jobenv/agent/head_address.hpp"
#include "jobenv/agent/lease.hpp"
#include "jobenv/agent/nonce.hpp"

namespace ddp::agent {

Expected<void> AgentConnections::open(Reach reach) {
  auto nonce = make_nonce();
  if (!nonce) return tl::unexpected(nonce.error());
  nonce_ = std::move(*nonce);
  auto server = HeadServer::open(loop_, reach, nonce_,
                                 [this](const Hello& hello, std::unique_ptr<ControlConnection> connection) {
                                   welcome(hello, std::move(connection));
                                 });
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  connections_.clear();
  ranks_seen_.clear();
  ended_ = false;
  loop_.cancel(pulse_);
  pulse_ = loop_.after(kPulse, [this] { check_pulse(); });
  return {};
}

void AgentConnections::write_address(EnvMap& env, const std::string& run_dir) const {
  std::string endpoints;
  for (const std::string& endpoint : server_->endpoints())
    endpoints += (endpoints.empty() ? "" : ",") + endpoint;
  env.set(kHeadEndpoints, endpoints);
  env.set(kHeadNonce, nonce_);
  env.set(kHeadRunDir, run_dir);
}

void AgentConnections::welcome(const Hello& hello, std::unique_ptr<ControlConnection> connection) {
  const AgentId agent = next_agent_++;
  connection->set_handlers({[this, agent](std::string_view line) { on_line(agent, line); },
                            [this, agent](const std::string& why) { lose(agent, why); }});
  const ConnectionEnds ends{connection->local_host(), connection->remote_host()};
  connections_[agent] = std::move(connection);
  for (const RankPlace& place : hello.ranks) ranks_seen_.insert(place.rank);
  send(agent, Welcome{});
  if (ended_) return send(agent, End{});
  on_event_(AgentJoined{agent, hello, ends});
}

void AgentConnections::on_line(AgentId agent, std::string_view line) {
  const auto message = parse_agent_message(line);
  if (!message) return lose(agent, message.error().message);
  if (!ended_) on_event_(AgentSaid{agent, *message});
}

void AgentConnections::lose(AgentId agent, const std::string& why) {
  if (connections_.erase(agent) > 0 && !ended_) on_event_(AgentLost{agent, why});
}

void AgentConnections::send(AgentId agent, const HeadMessage& message) {
  const auto found = connections_.find(agent);
  if (found != connections_.end()) found->second->send_line(render_message(message));
}

void AgentConnections::end() {
  ended_ = true;
  for (const auto& [agent, connection] : connections_)
    connection->send_line(render_message(HeadMessage{End{}}));
}

void AgentConnections::check_pulse() {
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

}  // namespace ddp::agent
