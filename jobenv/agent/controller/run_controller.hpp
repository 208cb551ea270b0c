#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobenv/agent/controller/agent_states.hpp"
#include "jobenv/agent/controller/first_failure.hpp"
#include "jobenv/agent/controller/first_steps.hpp"
#include "jobenv/agent/controller/hang_judge.hpp"
#include "jobenv/agent/controller/lone_mpi_ranks.hpp"
#include "jobenv/agent/controller/pmi_exchange.hpp"
#include "jobenv/agent/controller/roll_call.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/controller/run_verdict.hpp"
#include "jobenv/agent/controller/stop_agreement.hpp"
#include "jobenv/agent/controller/stop_order.hpp"
#include "jobenv/agent/controller/succession.hpp"
#include "jobenv/record/events/events.hpp"

namespace ddp::agent {

/// The attempt that head has claimed.
struct Attempt {
  int number = 0;
  std::string nonce;
  std::vector<std::string> hosts;  ///< as the scheduler names them; empty: not known before the agents come
};

/// Decides everything in the life of a run: when ranks start, what a failure is, when all are stopped,
/// whether another attempt follows, what the end is called. Knows no clock, process or file: events come in,
/// actions go out, in the order in which they are to be done.
class RunController {
 public:
  RunController(LaunchPlan plan, Attempt attempt);

  [[nodiscard]] std::vector<RunAction> begin();
  [[nodiscard]] std::vector<RunAction> handle(const RunEvent& event);

  /// Whether head has told it already that the run is to stop.
  [[nodiscard]] bool stop_wanted() const { return order_.is_of_head(); }

  /// When the scheduler ends the job; the ranks hear of it if it is known before they start.
  void set_deadline(std::chrono::system_clock::time_point deadline) { deadline_ = deadline; }

 private:
  enum class Stage {
    gathering,   ///< agents introduce themselves
    setting_up,  ///< they run the set-up lines
    binding,     ///< rank 0's agent binds the store's port
    running,
    stopping,  ///< the ranks were asked to stop
    killing,   ///< the ranks are being killed, or there were none
    between,   ///< an attempt has failed, and the next one is not claimed
    ended,
  };

  void on(const AgentJoined& event);
  void on(const AgentSaid& event);
  void on(const AgentLost& event);
  void on(const LauncherStarted& event);
  void on(const LauncherEnded& event);
  void on(const Superseded& event);
  void on(const CheckpointFound& event);
  void on(const AttemptClaimed& event);
  void on(const ClaimFailed& event);
  void on(const StopWanted& event);
  void on(const StopStands& event);
  void on(const JobEnds& event);
  void on(const StacksWanted& event);
  void on(const TimerExpired& event);

  void on_message(AgentId agent, const NodeSetUp& message);
  void on_message(AgentId agent, const StoreBound& message);
  void on_message(AgentId agent, const RankStarted& message);
  void on_message(AgentId agent, const RankExited& message);
  void on_message(AgentId agent, const RankStalled& message);
  void on_message(AgentId agent, const RankIdle& message);
  void on_message(AgentId agent, const RankAdvances& message);
  void on_message(AgentId agent, const StacksTaken& message);
  void on_message(AgentId agent, const RanksHeld& message);
  void on_message(AgentId agent, const PmiPairsPut& message);
  void on_message(AgentId agent, const PmiBarrierReached& message);
  void on_message(AgentId agent, const LoneMpiRank& message);
  void on_message(AgentId agent, const Drained& message);
  void on_message(AgentId agent, const AgentFailed& message);
  void on_message(AgentId agent, const Signalled& message);
  void on_message(AgentId, const Hello&) {}
  void on_message(AgentId, const RecordPiece&) {}
  void on_message(AgentId agent, const RanksSeen& message);
  void on_message(AgentId, const Pong&) {}

  void judge_first_step(AgentId agent, int rank, std::optional<std::uint64_t> step);
  void judge_running(const RankExited& message);
  void judge_stopping(const RankExited& message);
  void look_at_hang();
  void judge_hang();
  void suspect(const Failure& cause);
  void note_advance(int rank);
  void accept_stop(const StopWanted& stop, StopOrder::Teller teller);
  void ask_to_stop(const StopWanted& stop);
  void hold_ranks();
  void announce(const StopWanted& stop);
  void announce_again();
  void on_agreement();
  void release_ranks();
  void give_up_agreement();
  void fail(FirstFailure::Weight weight, Failure cause);
  void fail_and_kill(Failure cause);
  void fail_and_kill(const std::string& what, const std::string& host, Recurrence recurrence);
  void wait_for_notice();
  void kill_all();
  void finish_if_done();
  void finish();
  void next_step(const AttemptOutcome& outcome);
  void stop_between(const StopWanted& stop);
  void begin_attempt(const AttemptClaimed& claim);
  void await_agents();
  void await_absent(std::chrono::milliseconds delay);
  void muster();
  bool go_on_with_fewer();
  void start_binding();
  void end_run(const std::string& remark);

  /// No rank has been told to start.
  [[nodiscard]] bool starts() const;
  [[nodiscard]] bool joins_after_setup() const {
    return plan_.traits.setup != SetupPlace::in_agents && !plan_.setup.empty();
  }
  [[nodiscard]] StartAttempt start_for(AgentId agent) const;
  void broadcast(const HeadMessage& message);
  void arm(RunTimer timer, std::chrono::milliseconds delay) { actions_.push_back(ArmTimer{timer, delay}); }
  template <class Event>
  void record(Event event) {
    event.attempt = attempt_.number;
    actions_.push_back(WriteLedger{Event::kName, fields_of(event)});
  }

  LaunchPlan plan_;  ///< `nodes` is how many the attempt has
  Attempt attempt_;
  int planned_nodes_;
  std::optional<std::chrono::system_clock::time_point> deadline_;
  Stage stage_ = Stage::gathering;
  RollCall roll_call_;
  std::string master_address_;
  int master_port_ = 0;
  AgentStates agents_;
  std::set<AgentId> in_setup_;  ///< whose set-up lines are not done
  FirstFailure failures_;
  FirstSteps first_steps_;
  HangJudge hang_judge_;
  StopOrder order_;
  StopAgreement agreement_;
  PmiExchange pmi_exchange_;
  LoneMpiRanks lone_mpi_ranks_;
  std::optional<StopWanted> announced_;   ///< the end of the job
  std::chrono::milliseconds absence_{0};  ///< how long absent agents are waited for after one that has come
  bool agent_lost_ = false;               ///< since the ranks were last started
  Succession succession_;
  std::vector<RunAction> actions_;
};

}  // namespace ddp::agent
