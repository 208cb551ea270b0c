#include "tests/fleet/fleet_player.hpp"

#include <csignal>
#include <thread>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"

namespace ddp::agent {
namespace {

/// That look for head side by side.
constexpr std::size_t kThreads = 32;
constexpr int kPort = 4000;
constexpr int kPid = 1000;

}  // namespace

FleetPlayer::FleetPlayer(const LaunchPlan& plan, EnvMap head)
    : head_(std::move(head)), loop_(EventLoop::create({}, [](int) {}).value()) {
  const RankLayout layout = layout_of(plan);
  for (int node = 0; node < plan.nodes; ++node)
    agents_.push_back({plan.hosts.at(static_cast<std::size_t>(node)), layout.places_on(node), nullptr, {}});
}

Expected<void> FleetPlayer::play() {
  std::vector<FileDescriptor> sockets(agents_.size());
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread, &sockets] {
      for (std::size_t i = thread; i < agents_.size(); i += kThreads) {
        // Head may have no room for one more stranger: an agent asks again, too.
        while (!sockets[i].is_open()) {
          auto answer = look_for_head(head_, {agents_[i].host, "127.0.0.1", agents_[i].ranks});
          if (!answer || answer->sight == HeadSight::gone) return;
          sockets[i] = std::move(answer->socket);
        }
      }
    });
  }
  threads.clear();
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (!sockets[i].is_open()) return fail(ExitCode::run_failed, "head is gone");
    join(agents_[i], std::move(sockets[i]));
  }
  loop_->run();
  return {};
}

void FleetPlayer::join(Agent& agent, FileDescriptor socket) {
  agent.connection = std::make_unique<ControlConnection>(
      *loop_, std::move(socket), kMaxLine,
      ControlConnection::Handlers{[this, &agent](std::string_view line) { on_line(agent, line); },
                                  [this, &agent](const std::string& why) {
                                    losses_.push_back(agent.host + ": " + why);
                                    leave(agent);
                                  }});
}

void FleetPlayer::on_line(Agent& agent, std::string_view line) {
  const auto message = parse_head_message(line).value();
  if (std::holds_alternative<Ping>(message)) return say(agent, Pong{});
  if (std::holds_alternative<BindStore>(message)) return say(agent, StoreBound{kPort});
  if (std::holds_alternative<KillRanks>(message)) return end_ranks(agent, SIGKILL, EndedBy::agent);
  if (std::holds_alternative<End>(message)) return leave(agent);
  if (const auto* order = std::get_if<StartAttempt>(&message)) start(agent, *order);
}

void FleetPlayer::start(Agent& agent, const StartAttempt& start) {
  attempt_ = start.attempt;
  agent.living = agent.ranks;
  for (const RankPlace& place : agent.ranks) say(agent, RankStarted{place.rank, kPid + place.local_rank});
  if (++started_ == agents_.size()) on_all_started();
}

void FleetPlayer::on_all_started() {
  started_ = 0;
  if (attempt_ == 0) return end_rank(agents_[agents_.size() / 2], SIGKILL, EndedBy::itself);
  for (Agent& agent : agents_) end_ranks(agent, std::nullopt, EndedBy::itself);
}

void FleetPlayer::end_ranks(Agent& agent, std::optional<int> signal, EndedBy ended_by) {
  while (!agent.living.empty()) end_rank(agent, signal, ended_by);
  say(agent, Drained{});
}

void FleetPlayer::end_rank(Agent& agent, std::optional<int> signal, EndedBy ended_by) {
  const RankPlace place = agent.living.back();
  agent.living.pop_back();
  ExitRecord record;
  record.attempt = attempt_;
  record.rank = place.rank;
  record.local_rank = place.local_rank;
  record.host = agent.host;
  record.pid = kPid + place.local_rank;
  record.signal = signal;
  if (!signal) record.code = 0;
  record.ended_by = ended_by;
  record.started = record.ended = std::chrono::system_clock::now();
  say(agent, RankExited{record, ""});
}

void FleetPlayer::leave(Agent& agent) {
  agent.connection.reset();
  if (++left_ == agents_.size()) loop_->quit();
}

void FleetPlayer::say(Agent& agent, const AgentMessage& message) {
  agent.connection->send_line(render_message(message));
}

}  // namespace ddp::agent
