#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ddp/jobenv/rank_layout.hpp"
#include "jobenv/agent/protocol/process_state.hpp"
#include "jobenv/agent/protocol/recurrence.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/files/file_piece.hpp"

/// What head and agents say to each other. In one process (local) the values go from hand to hand; over TCP
/// they travel as the lines of control_protocol.hpp.
namespace ddp::agent {

// ---- from head to an agent

/// The nonce was right and the place is free.
struct Welcome {
  bool operator==(const Welcome&) const = default;
};
/// On ssh hosts: run the plan's set-up lines, once in the life of the agent. NodeSetUp is the answer, or
/// AgentFailed.
struct SetUpNode {
  bool operator==(const SetUpNode&) const = default;
};
/// To the agent of rank 0: bind a port for the store on `address`; StoreBound is the answer.
struct BindStore {
  std::string address;
  bool operator==(const BindStore&) const = default;
};
/// Start the ranks.
struct StartAttempt {
  int attempt = 0;
  std::string nonce;  ///< of the attempt: the store's, not the control connection's
  std::string master_address;
  int master_port = 0;
  std::vector<std::string> hosts;  ///< by node rank
  std::vector<int> planned_nodes;  ///< the node rank that each of them has in the plan
  std::string interface;           ///< this agent's address for collectives
  std::optional<std::chrono::system_clock::time_point> deadline;
  bool operator==(const StartAttempt&) const = default;
};
/// Ask the ranks to stop: by their page (trainer), or by `signal` (command).
struct StopRanks {
  int signal = 0;
  bool operator==(const StopRanks&) const = default;
};
struct KillRanks {
  bool operator==(const KillRanks&) const = default;
};
/// A RecordPiece has been written: the next one may come.
struct PieceTaken {
  bool operator==(const PieceTaken&) const = default;
};
/// Head lives; Pong is the answer.
struct Ping {
  bool operator==(const Ping&) const = default;
};
/// The run is over: leave with 0.
struct End {
  bool operator==(const End&) const = default;
};
using HeadMessage =
    std::variant<Welcome, SetUpNode, BindStore, StartAttempt, StopRanks, KillRanks, PieceTaken, Ping, End>;

// ---- from an agent to head

/// The first message of an agent: where it is and which ranks are its own.
struct Hello {
  std::string host;
  std::string
      interface;  ///< the address that rendezvous.interface names on this host; empty: the connection decides
  std::vector<RankPlace> ranks;
  bool operator==(const Hello&) const = default;
};
struct NodeSetUp {
  bool operator==(const NodeSetUp&) const = default;
};
struct StoreBound {
  int port = 0;
  bool operator==(const StoreBound&) const = default;
};
struct RankStarted {
  int rank = 0;
  int pid = 0;
  bool operator==(const RankStarted&) const = default;
};
struct RankExited {
  ExitRecord record;
  std::string what;  ///< a failure that the code or signal does not tell: "cannot start 'foo': …"
  Recurrence recurrence = Recurrence::possible;
};
/// A rank hangs, or waits for one that does. Told again when its process, or whether it waits, has changed.
struct RankStalled {
  int rank = 0;
  Phase phase = Phase::start;
  std::optional<std::uint64_t> last_step;
  std::chrono::milliseconds silent{0};   ///< since its page has changed
  std::chrono::milliseconds longest{0};  ///< that a part of this phase took before; 0: unknown
  ProcessState process = ProcessState::unknown;
  bool waits_for_peers = false;
  std::chrono::system_clock::time_point since = {};  ///< when it last advanced, by its host's clock
  bool operator==(const RankStalled&) const = default;
};
/// One that was said to be stalled.
struct RankAdvances {
  int rank = 0;
  bool operator==(const RankAdvances&) const = default;
};
/// Every process of the attempt on this agent's host has been reaped.
struct Drained {
  bool operator==(const Drained&) const = default;
};
/// The agent cannot do what head asked for; it holds no processes.
struct AgentFailed {
  std::string what;
  std::string output_tail = {};  ///< the end of what was printed
  Recurrence recurrence = Recurrence::possible;
  bool operator==(const AgentFailed&) const = default;
};
/// The scheduler sent the agent's host a signal that ends the job.
struct Signalled {
  int signal = 0;
  bool operator==(const Signalled&) const = default;
};
/// Of what the agent's host has recorded, where no folder is shared: PieceTaken is the answer.
struct RecordPiece {
  FilePiece piece;
  bool operator==(const RecordPiece&) const = default;
};
struct Pong {
  bool operator==(const Pong&) const = default;
};
using AgentMessage = std::variant<Hello, NodeSetUp, StoreBound, RankStarted, RankExited, RankStalled,
                                  RankAdvances, Drained, AgentFailed, Signalled, RecordPiece, Pong>;

/// Builds a visitor from lambdas.
template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace ddp::agent
