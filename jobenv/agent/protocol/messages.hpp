#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ddp/jobenv/rank_layout.hpp"
#include "jobenv/agent/protocol/message_forms.hpp"
#include "jobenv/agent/protocol/mpi_flavour.hpp"
#include "jobenv/agent/protocol/pmi_pairs.hpp"
#include "jobenv/agent/protocol/process_state.hpp"
#include "jobenv/agent/protocol/rank_reading.hpp"
#include "jobenv/agent/protocol/recurrence.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/fields/field_form.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/phase_form.hpp"
#include "jobenv/record/stacks/rank_stack.hpp"

/// What head and agents say to each other. In one process the values go from hand to hand; over TCP they
/// travel as the lines of control_protocol.hpp, with the name and the fields that each describes.
namespace ddp::agent {

inline constexpr int kMaxPort = 65535;
inline constexpr int kMaxSignal = 64;
/// What an agent spends on the stacks of its ranks, which it takes side by side.
inline constexpr std::chrono::milliseconds kStackPatience{4500};
inline constexpr const char* kStacksOfHang = "hang-";

/// Whether stacks are taken because ranks hang: nobody has asked for them.
[[nodiscard]] inline bool is_of_hang(std::string_view id) {
  return id.starts_with(kStacksOfHang);
}

// ---- from head to an agent

/// The nonce was right and the place is free.
struct Welcome {
  static constexpr const char* kName = "welcome";
  bool operator==(const Welcome&) const = default;
};
/// Under SetupPlace::in_agents: run the plan's set-up lines, once in the life of the agent. NodeSetUp is the
/// answer, or AgentFailed.
struct SetUpNode {
  static constexpr const char* kName = "set_up";
  bool operator==(const SetUpNode&) const = default;
};
/// To the agent of rank 0: bind a port for the store on `address`; StoreBound is the answer.
struct BindStore {
  static constexpr const char* kName = "bind_store";
  std::string address;

  static void describe(auto& fields, auto& bind) { fields.field("address", bind.address); }
  bool operator==(const BindStore&) const = default;
};
/// Start the ranks.
struct StartAttempt {
  static constexpr const char* kName = "start";
  int attempt = 0;
  std::string nonce;  ///< of the attempt: the store's, not the control connection's
  std::string master_address;
  int master_port = 0;
  std::vector<std::string> hosts;  ///< by node rank
  std::vector<int> planned_nodes;  ///< the node rank that each of them has in the plan
  std::string interface;           ///< this agent's address for collectives
  std::optional<std::chrono::system_clock::time_point> deadline;

  static void describe(auto& fields, auto& start) {
    fields.field("attempt", start.attempt, 0);
    fields.field("nonce", start.nonce);
    fields.field("master_address", start.master_address);
    fields.field("master_port", start.master_port, 1, kMaxPort);
    fields.field("hosts", start.hosts, HostListForm{});
    fields.field("planned_nodes", start.planned_nodes);
    fields.expect(start.planned_nodes.size() == start.hosts.size(), "planned_nodes",
                  "is not as long as hosts");
    fields.field("interface", start.interface);
    fields.field("deadline", start.deadline);
  }
  bool operator==(const StartAttempt&) const = default;
};
/// Ask the ranks to stop: by their page (trainer), or by `signal` (command); TERM in place of INT where a
/// rank has no handler of INT.
struct StopRanks {
  static constexpr const char* kName = "stop";
  int signal = 0;

  static void describe(auto& fields, auto& stop) { fields.field("signal", stop.signal, 1, kMaxSignal); }
  bool operator==(const StopRanks&) const = default;
};
/// To the agents of a command: let each rank wait at the end of its next step, if all of them heed their
/// pages. RanksHeld is the answer; StopAfter, StopRanks or ReleaseRanks follows.
struct HoldRanks {
  static constexpr const char* kName = "hold";
  bool operator==(const HoldRanks&) const = default;
};
/// Ends a HoldRanks: the ranks go on.
struct ReleaseRanks {
  static constexpr const char* kName = "release";
  bool operator==(const ReleaseRanks&) const = default;
};
/// Ends a HoldRanks: each rank stops at the end of the first step that is not below `step`.
struct StopAfter {
  static constexpr const char* kName = "stop_after";
  std::uint64_t step = 1;
  int signal = 0;  ///< that stands for the request

  static void describe(auto& fields, auto& stop) {
    fields.field("step", stop.step);
    fields.field("signal", stop.signal, 1, kMaxSignal);
  }
  bool operator==(const StopAfter&) const = default;
};
/// Say where the ranks are: StacksTaken is the answer, after kStackPatience at most.
struct TakeStacks {
  static constexpr const char* kName = "take_stacks";
  std::string id;          ///< of the request, or of a look at a hang: kStacksOfHang and a number
  std::vector<int> ranks;  ///< none: all

  static void describe(auto& fields, auto& take) {
    fields.field("id", take.id);
    fields.field("ranks", take.ranks);
  }
  bool operator==(const TakeStacks&) const = default;
};
struct KillRanks {
  static constexpr const char* kName = "kill";
  /// Ranks of a command with a handler of TERM that take no part in agreed stops get TERM so long before.
  std::chrono::milliseconds notice{0};

  static void describe(auto& fields, auto& kill) { fields.field("notice_milliseconds", kill.notice); }
  bool operator==(const KillRanks&) const = default;
};
/// What ranks of other agents have put since the last PmiBarrierEnded, or a part of it.
struct PmiPairsGathered {
  static constexpr const char* kName = "pmi_gathered";
  PmiPairs pairs;

  static void describe(auto& fields, auto& gathered) { fields.field("pairs", gathered.pairs); }
  bool operator==(const PmiPairsGathered&) const = default;
};
/// All ranks of the attempt have reached PMI's barrier, and this agent has all that they have put.
struct PmiBarrierEnded {
  static constexpr const char* kName = "pmi_barrier_ended";
  bool operator==(const PmiBarrierEnded&) const = default;
};
/// A RecordPiece has been written: the next one may come.
struct PieceTaken {
  static constexpr const char* kName = "piece_taken";
  bool operator==(const PieceTaken&) const = default;
};
/// Head lives; Pong is the answer.
struct Ping {
  static constexpr const char* kName = "ping";
  bool operator==(const Ping&) const = default;
};
/// The run is over: leave with 0.
struct End {
  static constexpr const char* kName = "end";
  bool operator==(const End&) const = default;
};
using HeadMessage =
    std::variant<Welcome, SetUpNode, BindStore, StartAttempt, StopRanks, HoldRanks, ReleaseRanks, StopAfter,
                 TakeStacks, KillRanks, PmiPairsGathered, PmiBarrierEnded, PieceTaken, Ping, End>;

// ---- from an agent to head

/// The first message of an agent: where it is and which ranks are its own.
struct Hello {
  static constexpr const char* kName = "hello";
  std::string host;
  std::string
      interface;  ///< the address that rendezvous.interface names on this host; empty: the connection decides
  std::vector<RankPlace> ranks;
  std::string problem = {};                     ///< what keeps the agent from its work; empty: nothing
  Recurrence recurrence = Recurrence::certain;  ///< of the problem

  static void describe(auto& fields, auto& hello) {
    fields.field("host", hello.host);
    fields.field("interface", hello.interface);
    fields.items("ranks", hello.ranks, RankPlaceForm{});
    fields.field("problem", hello.problem);
    fields.field("recurrence", hello.recurrence, {Recurrence::possible, Recurrence::certain});
  }
  bool operator==(const Hello&) const = default;
};
struct NodeSetUp {
  static constexpr const char* kName = "is_set_up";
  bool operator==(const NodeSetUp&) const = default;
};
struct StoreBound {
  static constexpr const char* kName = "store_bound";
  int port = 0;

  static void describe(auto& fields, auto& bound) { fields.field("port", bound.port, 1, kMaxPort); }
  bool operator==(const StoreBound&) const = default;
};
struct RankStarted {
  static constexpr const char* kName = "started";
  int rank = 0;
  int pid = 0;
  std::string threads = {};  ///< OMP_NUM_THREADS of rank 0 of a command; empty: none, or another rank

  static void describe(auto& fields, auto& started) {
    fields.field("rank", started.rank, 0);
    fields.field("pid", started.pid, 1);
    fields.field("threads", started.threads);
  }
  bool operator==(const RankStarted&) const = default;
};
struct RankExited {
  static constexpr const char* kName = "exited";
  ExitRecord record;
  std::string what;  ///< a failure that the code or signal does not tell: "cannot start 'foo': …"
  Recurrence recurrence = Recurrence::possible;
  std::optional<std::uint64_t> first_step = {};  ///< that it told in this attempt

  static void describe(auto& fields, auto& exited) {
    fields.field("record", exited.record, RecordForm(parse_exit_record));
    fields.field("what", exited.what);
    fields.field("recurrence", exited.recurrence, {Recurrence::possible, Recurrence::certain});
    fields.field("first_step", exited.first_step);
  }
  bool operator==(const RankExited&) const = default;
};
/// A rank makes no progress: it hangs, or waits for one that does. Sent again when the state of its process
/// or `waits_for_peers` has changed.
struct RankStalled {
  static constexpr const char* kName = "stalled";
  int rank = 0;
  PhaseName phase;
  std::optional<std::uint64_t> last_step;
  std::chrono::milliseconds silent{0};   ///< since its page has changed
  std::chrono::milliseconds longest{0};  ///< that a part of this phase took before; 0: unknown
  ProcessState process = ProcessState::unknown;
  bool waits_for_peers = false;
  std::chrono::system_clock::time_point since = {};  ///< when it last advanced, by its host's clock

  static void describe(auto& fields, auto& stalled) {
    fields.field("rank", stalled.rank, 0);
    fields.field("phase", stalled.phase, PhaseForm{});
    fields.field("last_step", stalled.last_step);
    fields.field("silent_milliseconds", stalled.silent);
    fields.field("longest_milliseconds", stalled.longest);
    fields.field("process", stalled.process, kProcessStates);
    fields.field("waits_for_peers", stalled.waits_for_peers);
    fields.field("since", stalled.since);
  }
  bool operator==(const RankStalled&) const = default;
};
/// A rank of a command that tells nothing has neither computed nor read, written or printed anything for
/// `silent`. Sent again when the state of its process has changed.
struct RankIdle {
  static constexpr const char* kName = "idle";
  int rank = 0;
  std::chrono::milliseconds silent{0};
  ProcessState process = ProcessState::unknown;
  std::chrono::system_clock::time_point since = {};  ///< by its host's clock

  static void describe(auto& fields, auto& idle) {
    fields.field("rank", idle.rank, 0);
    fields.field("silent_milliseconds", idle.silent);
    fields.field("process", idle.process, kProcessStates);
    fields.field("since", idle.since);
  }
  bool operator==(const RankIdle&) const = default;
};
/// One that was said to be stalled, or idle.
struct RankAdvances {
  static constexpr const char* kName = "advances";
  int rank = 0;

  static void describe(auto& fields, auto& advances) { fields.field("rank", advances.rank, 0); }
  bool operator==(const RankAdvances&) const = default;
};
/// Of an agent's ranks that live.
struct RanksHeld {
  static constexpr const char* kName = "held";
  bool all_heed = false;  ///< their pages; else nothing has changed for them
  /// The newest finished step: no rank goes beyond the one after it.
  std::optional<std::uint64_t> newest_step;

  static void describe(auto& fields, auto& held) {
    fields.field("all_heed", held.all_heed);
    fields.field("newest_step", held.newest_step);
  }
  bool operator==(const RanksHeld&) const = default;
};
/// What has changed since the last one; the ranks that are not named have not.
struct RanksSeen {
  static constexpr const char* kName = "seen";
  std::vector<RankReading> ranks;

  static void describe(auto& fields, auto& seen) {
    fields.items("ranks", seen.ranks, ObjectForm<RankReading>{"rank"});
  }
  bool operator==(const RanksSeen&) const = default;
};
/// Of an agent's ranks that live; those that gave nothing in time are missing.
struct StacksTaken {
  static constexpr const char* kName = "stacks";
  std::string id;
  std::vector<RankStack> stacks;

  static void describe(auto& fields, auto& taken) {
    fields.field("id", taken.id);
    fields.items("stacks", taken.stacks, ObjectForm<RankStack>{"stack"});
  }
  bool operator==(const StacksTaken&) const = default;
};
/// What the ranks of this agent have put since the last PmiBarrierEnded, or a part of it.
struct PmiPairsPut {
  static constexpr const char* kName = "pmi_put";
  PmiPairs pairs;

  static void describe(auto& fields, auto& put) { fields.field("pairs", put.pairs); }
  bool operator==(const PmiPairsPut&) const = default;
};
/// All ranks of this agent wait in PMI's barrier; what they have put was sent before. PmiBarrierEnded is the
/// answer.
struct PmiBarrierReached {
  static constexpr const char* kName = "pmi_barrier";
  bool operator==(const PmiBarrierReached&) const = default;
};
/// A rank has loaded an MPI library that finds no process manager: MPI_Init makes it rank 0 of 1.
struct LoneMpiRank {
  static constexpr const char* kName = "lone_mpi_rank";
  int rank = 0;
  MpiFlavour flavour = MpiFlavour::mpich;
  std::string library;  ///< its path

  static void describe(auto& fields, auto& lone) {
    fields.field("rank", lone.rank, 0);
    fields.field("flavour", lone.flavour, {MpiFlavour::mpich, MpiFlavour::open_mpi, MpiFlavour::cray});
    fields.field("library", lone.library);
  }
  bool operator==(const LoneMpiRank&) const = default;
};
/// Every process of the attempt on this agent's host has been reaped.
struct Drained {
  static constexpr const char* kName = "drained";
  bool operator==(const Drained&) const = default;
};
/// The agent cannot do what head asked for; it holds no processes.
struct AgentFailed {
  static constexpr const char* kName = "failed";
  std::string what;
  std::string output_tail = {};  ///< the end of what was printed
  Recurrence recurrence = Recurrence::possible;

  static void describe(auto& fields, auto& failed) {
    fields.field("what", failed.what);
    fields.field("output_tail", failed.output_tail);
    fields.field("recurrence", failed.recurrence, {Recurrence::possible, Recurrence::certain});
  }
  bool operator==(const AgentFailed&) const = default;
};
/// The scheduler sent the agent's host a signal that ends the job.
struct Signalled {
  static constexpr const char* kName = "signalled";
  int signal = 0;

  static void describe(auto& fields, auto& signalled) {
    fields.field("signal", signalled.signal, 1, kMaxSignal);
  }
  bool operator==(const Signalled&) const = default;
};
/// Of what the agent's host has recorded, where no folder is shared: PieceTaken is the answer.
struct RecordPiece {
  static constexpr const char* kName = "piece";
  FilePiece piece;

  static void describe(auto& fields, auto& record) {
    fields.field("piece", record.piece, RecordForm(parse_file_piece));
  }
  bool operator==(const RecordPiece&) const = default;
};
struct Pong {
  static constexpr const char* kName = "pong";
  bool operator==(const Pong&) const = default;
};
using AgentMessage =
    std::variant<Hello, NodeSetUp, StoreBound, RankStarted, RankExited, RankStalled, RankIdle, RankAdvances,
                 RanksHeld, RanksSeen, StacksTaken, PmiPairsPut, PmiBarrierReached, LoneMpiRank, Drained,
                 AgentFailed, Signalled, RecordPiece, Pong>;

/// Builds a visitor from lambdas.
template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace ddp::agent
