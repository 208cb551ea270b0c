#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/protocol/messages.hpp"

/// What happens to a run, and what head does about it.
namespace ddp::agent {

/// A number that head gives to each agent that introduces itself.
using AgentId = int;

/// The two ends of an agent's connection, as head sees them; empty in one process.
struct ConnectionEnds {
  std::string head;
  std::string agent;
};

// ---- events

struct AgentJoined {
  AgentId agent = 0;
  Hello hello;
  ConnectionEnds ends;
};
struct AgentSaid {
  AgentId agent = 0;
  AgentMessage message;
};
struct AgentLost {
  AgentId agent = 0;
  std::string why;
  std::optional<std::chrono::system_clock::time_point> last_word = {};  ///< when it was last heard
};
/// After a Relaunch: what starts the new agents runs; before, the old ones were waited for.
struct LauncherStarted {};
/// What started the agents has ended.
struct LauncherEnded {
  std::string what;              ///< "srun ended with exit code 1"
  std::string output_tail = {};  ///< the end of what it printed
  std::string swept_host = {};   ///< where no process of the run is left now; empty: not known
};
/// Another head has claimed a later attempt of the same run: this one is out of date.
struct Superseded {
  int attempt = 0;
};
/// The answer to FindCheckpoint.
struct CheckpointFound {
  std::optional<std::uint64_t> step;  ///< of the newest one; nullopt: there is none
};
/// The answers to ClaimAttempt; another head's claim is Superseded.
struct AttemptClaimed {
  int number = 0;
  std::string nonce;
};
struct ClaimFailed {
  std::string why;
};
/// Whether a reason is the last word: what a signal means, the scheduler may tell when the ranks are stopping
/// already.
enum class Certainty { known, asked };
/// To head itself: a signal, the time limit, the submitter's end.
struct StopWanted {
  StopReason reason = StopReason::interrupt;
  int signal = 0;  ///< that brought it; 0: none
  std::optional<std::chrono::milliseconds> time_left =
      {};  ///< until the scheduler ends the job, if it is, or may be, near
  Certainty certainty = Certainty::known;
};
/// Nothing is known beyond what a StopWanted that asked has said.
struct StopStands {};
/// The scheduler ends the job before the time that its stop signal has announced, and soon kills head, too.
struct JobEnds {};
/// Somebody wants to know where ranks are: the answers, StacksTaken, name the request.
struct StacksWanted {
  std::string id;
  std::vector<int> ranks;  ///< none: all
};
enum class RunTimer {
  gather,      ///< for all agents to introduce themselves and the store to be bound
  late,        ///< for all agents, before it is told whose have not come
  absence,     ///< for the agents of all nodes, where fewer will do
  time_limit,  ///< of the run
  notice,      ///< for word of a stop, after a rank that looks terminated or an agent that is gone
  blame,       ///< for the rank that broke to say so, after another has lost it
  steps,       ///< for a first step, of a command that is to be requeued
  stall,       ///< for word of the other ranks that do not advance, after the first
  stacks,      ///< for the agents to say where their ranks are
  answer,      ///< for the reason of a stop
  hold,        ///< for the agents to say how far the ranks are that they hold
  grace,       ///< for ranks to stop
  exit,        ///< for the others, after the first rank that is done
  drain,       ///< for word that killed ranks are gone
};
struct TimerExpired {
  RunTimer timer = RunTimer::gather;
  std::uint64_t turned_away = 0;  ///< connections that head has closed since it awaits agents
};
using RunEvent = std::variant<AgentJoined, AgentSaid, AgentLost, LauncherStarted, LauncherEnded, Superseded,
                              CheckpointFound, AttemptClaimed, ClaimFailed, StopWanted, StopStands, JobEnds,
                              StacksWanted, TimerExpired>;

// ---- actions

struct SendToAgent {
  AgentId agent = 0;
  HeadMessage message;
};
/// Replaces the timer of that name.
struct ArmTimer {
  RunTimer timer = RunTimer::gather;
  std::chrono::milliseconds delay{0};
};
/// Stops all timers but the time limit's, which covers all attempts.
struct DisarmTimers {};
struct FindCheckpoint {};
/// The attempt after the present one.
struct ClaimAttempt {};
/// Not all agents of the last attempt live: all are to introduce themselves, new ones or again.
struct Relaunch {};
struct WriteLedger {
  std::string event;
  nlohmann::json fields;
};
/// The last action of a run.
struct EndRun {
  RunEnd end;
};
using RunAction = std::variant<SendToAgent, ArmTimer, DisarmTimers, FindCheckpoint, ClaimAttempt, Relaunch,
                               WriteLedger, EndRun>;

}  // namespace ddp::agent
