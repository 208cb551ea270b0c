#include "jobenv/agent/connection/agent_connections.hpp"

#include <utility>
#include <vector>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/connection/nonce.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"

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
  agents_.clear();
  holder_of_.clear();
  ranks_seen_.clear();
  ended_ = holds_back_ = false;
  loop_.cancel(pulse_);
  pulse_ = loop_.after(waits_.pulse, [this] { check_pulse(); });
  return {};
}

remote::HeadAddress AgentConnections::address() const {
  std::string endpoints;
  for (const std::string& endpoint : server_->endpoints())
    endpoints += (endpoints.empty() ? "" : ",") + endpoint;
  return {std::move(endpoints), nonce_};
}

void AgentConnections::write_address(EnvMap& env, const std::string& run_dir) const {
  const remote::HeadAddress own = address();
  env.set(kHeadEndpoints, own.endpoints);
  env.set(kHeadNonce, own.nonce);
  env.set(kHeadRunDir, run_dir);
}

void AgentConnections::welcome(const Hello& hello, std::unique_ptr<ControlConnection> connection) {
  lose_predecessor_of(hello);
  connection->send_line(render_message(HeadMessage{Welcome{}}));
  join({hello, std::move(connection)});
}

void AgentConnections::join(Agent agent) {
  const AgentId id = next_agent_++;
  agent.connection->set_handlers({[this, id](std::string_view line) { on_line(id, line); },
                                  [this, id](const std::string& why) { lose(id, why); }});
  const AgentJoined joined{
      id, agent.hello, {agent.connection->local_host(), agent.connection->remote_host()}};
  for (const RankPlace& place : agent.hello.ranks) ranks_seen_.insert(place.rank);
  holder_of_[ranks_of(agent.hello)] = id;
  agents_.emplace(id, std::move(agent));
  if (ended_) return send(id, End{});
  if (!holds_back_) on_event_(joined);
}

/// An agent that was cut off is back before its old connection was seen to be dead.
void AgentConnections::lose_predecessor_of(const Hello& hello) {
  const auto holder = holder_of_.find(ranks_of(hello));
  if (hello.ranks.empty() || holder == holder_of_.end()) return;
  if (const auto old = agents_.find(holder->second); old != agents_.end())
    lose(old->first, "its agent has connected again", old->second.connection->silence());
}

std::vector<int> AgentConnections::ranks_of(const Hello& hello) {
  std::vector<int> ranks;
  for (const RankPlace& place : hello.ranks) ranks.push_back(place.rank);
  return ranks;
}

void AgentConnections::introduce_again() {
  holds_back_ = false;
  for (auto& [id, agent] : std::exchange(agents_, {})) join(std::move(agent));
}

void AgentConnections::on_line(AgentId agent, std::string_view line) {
  const auto message = parse_agent_message(line);
  if (!message) return lose(agent, message.error().message);
  // What the host has recorded is of use also behind the end.
  if (!ended_ || std::holds_alternative<RecordPiece>(*message)) on_event_(AgentSaid{agent, *message});
}

void AgentConnections::lose(AgentId agent, const std::string& why,
                            std::chrono::steady_clock::duration silence) {
  using std::chrono::system_clock;
  const auto last_word = system_clock::now() - std::chrono::duration_cast<system_clock::duration>(silence);
  if (agents_.erase(agent) > 0 && !ended_) on_event_(AgentLost{agent, why, last_word});
}

void AgentConnections::send(AgentId agent, const HeadMessage& message) {
  const auto found = agents_.find(agent);
  if (found != agents_.end()) found->second.connection->send_line(render_message(message));
}

void AgentConnections::end() {
  ended_ = true;
  for (const auto& [id, agent] : agents_) agent.connection->send_line(render_message(HeadMessage{End{}}));
}

void AgentConnections::check_pulse() {
  for (const auto& [id, agent] : agents_) agent.connection->send_line(render_message(HeadMessage{Ping{}}));
  for (const AgentId agent : ids()) lose_if_silent(agent);
  pulse_ = loop_.after(waits_.pulse, [this] { check_pulse(); });
}

void AgentConnections::lose_if_silent(AgentId agent) {
  const auto found = agents_.find(agent);
  if (found == agents_.end() || !found->second.connection->is_silent_for(waits_.lease)) return;
  const auto lease = std::chrono::floor<std::chrono::seconds>(waits_.lease).count();
  lose(agent, "nothing heard for " + std::to_string(lease) + " s", found->second.connection->silence());
}

void AgentConnections::hear_out() {
  for (const AgentId agent : ids()) {
    if (const auto found = agents_.find(agent); found != agents_.end()) found->second.connection->read_more();
  }
}

/// What one of them says may change who is there.
std::vector<AgentId> AgentConnections::ids() const {
  std::vector<AgentId> ids;
  for (const auto& [id, agent] : agents_) ids.push_back(id);
  return ids;
}

}  // namespace ddp::agent
