#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/controller/run_controller.hpp"
#include "tests/support/use_launcher.hpp"

namespace ddp::agent {

/// Drives a controller of two nodes with two ranks each, one agent a rank; agent n holds rank n.
class Controller : public testing::Test {
 protected:
  void begin(ProgramKind program = ProgramKind::trainer) {
    use_launcher(plan_, "slurm");
    plan_.nodes = 2;
    plan_.tasks_per_node = 2;
    plan_.program = program;
    plan_.grace_period = std::chrono::seconds(30);
    plan_.hosts = {"node1", "node2"};
    start();
  }
  /// On the hosts of the plan.
  void start() {
    controller_.emplace(plan_, Attempt{3, "nonce", plan_.hosts});
    take(controller_->begin());
  }

  void run_ranks(ProgramKind program = ProgramKind::trainer) {
    begin(program);
    for (int rank = 0; rank < 4; ++rank) join(rank);
    say(0, StoreBound{4000});
  }

  void post(const RunEvent& event) { take(controller_->handle(event)); }
  void say(AgentId agent, const AgentMessage& message) { post(AgentSaid{agent, message}); }
  void expire(RunTimer timer) { post(TimerExpired{timer}); }

  void join(int rank) {
    const std::string host = rank < 2 ? "node1" : "node2";
    const Hello hello{host, "", {{rank, rank % 2, rank / 2}}};
    post(AgentJoined{rank, hello, {"10.0.0.1", rank < 2 ? "10.0.0.1" : "10.0.0.2"}});
  }

  static ExitRecord record(int rank) {
    ExitRecord exit;
    exit.attempt = 3;
    exit.rank = rank;
    exit.host = rank < 2 ? "node1" : "node2";
    exit.last_step = 120;
    exit.phase = Phase::step;
    return exit;
  }
  void exit_with(int rank, int code, Phase phase = Phase::step) {
    ExitRecord exit = record(rank);
    exit.code = code;
    exit.phase = phase;
    say(rank, RankExited{exit, ""});
  }
  void die_of(int rank, int signal, EndedBy ended_by = EndedBy::itself) {
    ExitRecord exit = record(rank);
    exit.signal = signal;
    exit.ended_by = ended_by;
    say(rank, RankExited{exit, ""});
  }
  void be_killed(int rank) { die_of(rank, SIGKILL, EndedBy::agent); }
  void drain_all() {
    for (int agent = 0; agent < 4; ++agent) say(agent, Drained{});
  }

  /// How often each agent was sent a message of this kind.
  template <class Message>
  std::vector<int> receivers() const {
    std::vector<int> agents;
    for (const auto& [agent, message] : sent_) {
      if (std::holds_alternative<Message>(message)) agents.push_back(agent);
    }
    return agents;
  }
  [[nodiscard]] bool armed(RunTimer timer) const {
    return std::ranges::any_of(timers_, [timer](const ArmTimer& arm) { return arm.timer == timer; });
  }
  /// For how long ranks may stop: each time that it was set.
  [[nodiscard]] std::vector<std::chrono::milliseconds> graces() const {
    std::vector<std::chrono::milliseconds> delays;
    for (const ArmTimer& arm : timers_) {
      if (arm.timer == RunTimer::grace) delays.push_back(arm.delay);
    }
    return delays;
  }
  [[nodiscard]] auto count_events(const std::string& name) const {
    return std::ranges::count(ledger_, name, &WriteLedger::event);
  }
  [[nodiscard]] std::vector<std::string> reasons() const {
    std::vector<std::string> reasons;
    for (const WriteLedger& line : ledger_) {
      if (line.event == "stop_requested") reasons.push_back(line.fields.at("reason"));
    }
    return reasons;
  }

  LaunchPlan plan_;
  std::optional<RunController> controller_;
  std::vector<std::pair<AgentId, HeadMessage>> sent_;
  std::vector<ArmTimer> timers_;
  std::vector<WriteLedger> ledger_;
  std::optional<RunEnd> end_;
  int checkpoints_asked_ = 0;
  int claims_wanted_ = 0;
  int relaunches_ = 0;
  std::optional<RanksHeld> held_ = RanksHeld{};  ///< what each agent answers at once; nullopt: the test does
  std::optional<std::vector<RankStack>> stacks_ = std::vector<RankStack>{};  ///< the same

 private:
  void take(const std::vector<RunAction>& actions) {
    for (const RunAction& action : actions) {
      EXPECT_FALSE(end_.has_value()) << "an action after the end";
      std::visit(Overloaded{[this](const SendToAgent& send) { sent_.emplace_back(send.agent, send.message); },
                            [this](const ArmTimer& arm) { timers_.push_back(arm); },
                            [this](const DisarmTimers&) { timers_.clear(); },
                            [this](const FindCheckpoint&) { ++checkpoints_asked_; },
                            [this](const ClaimAttempt&) { ++claims_wanted_; },
                            [this](const Relaunch&) { ++relaunches_; },
                            [this](const WriteLedger& write) { ledger_.push_back(write); },
                            [this](const EndRun& end) { end_ = end.end; }},
                 action);
    }
    answer_holds(actions);
    answer_stacks(actions);
  }
  void answer_stacks(const std::vector<RunAction>& actions) {
    if (!stacks_) return;
    for (const RunAction& action : actions) {
      const auto* send = std::get_if<SendToAgent>(&action);
      if (send == nullptr || !std::holds_alternative<TakeStacks>(send->message)) continue;
      StacksTaken taken{std::get<TakeStacks>(send->message).id, {}};
      for (const RankStack& stack : *stacks_) {
        if (stack.rank == send->agent) taken.stacks.push_back(stack);
      }
      say(send->agent, taken);
    }
  }
  void answer_holds(const std::vector<RunAction>& actions) {
    if (!held_) return;
    for (const RunAction& action : actions) {
      const auto* send = std::get_if<SendToAgent>(&action);
      if (send != nullptr && std::holds_alternative<HoldRanks>(send->message)) say(send->agent, *held_);
    }
  }
};

using Everyone = std::vector<int>;
inline const Everyone kAll = {0, 1, 2, 3};

}  // namespace ddp::agent
