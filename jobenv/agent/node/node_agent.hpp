#pragma once

#include <sys/resource.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/mpi/lone_mpi_watch.hpp"
#include "jobenv/agent/mpi/pmix_connections.hpp"
#include "jobenv/agent/mpi/process_manager.hpp"
#include "jobenv/agent/mpi/shared_segments.hpp"
#include "jobenv/agent/node/hang_detector.hpp"
#include "jobenv/agent/node/held_ranks.hpp"
#include "jobenv/agent/node/host_claim.hpp"
#include "jobenv/agent/node/log_watch.hpp"
#include "jobenv/agent/node/node_setup.hpp"
#include "jobenv/agent/node/rank_observer.hpp"
#include "jobenv/agent/node/rank_stacks.hpp"
#include "jobenv/agent/node/store_socket.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/guarded_processes.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// Whether head sees what an agent writes into its run folder.
enum class RecordsPlace { folder_of_head, own_folder };

/// Which ranks an agent holds, and what it starts them with.
struct NodeAgentSettings {
  LaunchPlan plan;
  EnvMap environment;  ///< the agent's own
  std::string host;
  std::vector<RankPlace> ranks;
  std::optional<rlimit> descriptor_limit;  ///< RLIMIT_NOFILE for the ranks; nullopt: the agent's
  RecordsPlace records = RecordsPlace::folder_of_head;
  int input = -1;  ///< descriptor of what rank 0 reads as its stdin; -1: nothing
};

/// Holds the ranks of one host (under srun: one rank): a guard, progress pages, logs, exit records; for one
/// attempt after the other. Obeys head's messages and reports to it, by whatever carries them. Destroyed with
/// ranks alive, it leaves it to the guard to kill them.
class NodeAgent {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `loop` must outlive the agent. `report` is called from within the loop's handlers and handle().
  NodeAgent(EventLoop& loop, NodeAgentSettings settings, Report report);
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;

  /// Its problem may be that this host does not have the interface that the plan names.
  [[nodiscard]] Hello hello() const;
  void handle(const HeadMessage& message);

  /// The scheduler has sent `signal` to every process of this host's step: a command already has it and must
  /// not get it twice.
  void note_external_signal(int signal);

  /// Whether the attempt has processes that are not reaped yet.
  [[nodiscard]] bool busy() const { return processes_.busy(); }

 private:
  struct Rank {
    RankPlace place;
    GuardedProcess process;
    std::string path;     ///< its PATH
    std::string threads;  ///< its OMP_NUM_THREADS
    std::optional<ProgressMapping> progress;
    pid_t pid = -1;
    std::string start_failure;
    std::chrono::system_clock::time_point started;
    bool ended = false;
    bool succeeded = false;
    int last_signal = 0;      ///< that it alone was sent; 0: none
    bool has_notice = false;  ///< the agent ends it, with whatever code it leaves
    bool outlived = false;    ///< descendants have outlived its first process
    std::string killed;       ///< the descendants that had outlived it and were killed
  };

  void set_up();
  void take_over_setup(const ShellState& state);
  void bind_store(const BindStore& request);
  void start(const StartAttempt& request);
  void stop(const StopRanks& request);
  void take_stacks(const TakeStacks& request);
  [[nodiscard]] Pages living_pages();

  [[nodiscard]] Expected<void> prepare(const StartAttempt& request);
  [[nodiscard]] Expected<void> prepare_rank(Rank& rank, const StartAttempt& request,
                                            const std::map<std::string, std::string>& secrets);
  void on_guard_report(const GuardReport& report);
  void on_rank_exit(Rank& rank, int status, const std::string& what);
  void on_swept(pid_t pid, int status, const std::string& why);
  void watch(Rank& rank);
  [[nodiscard]] static bool heeds_stops(const Rank& rank);
  [[nodiscard]] bool wants_notice(const Rank& rank) const;
  void send_signal(int signal, Rank& rank);
  void kill(std::chrono::milliseconds notice);
  void finish();
  void remove_segments();
  [[nodiscard]] std::string failure_of(const Rank& rank) const;
  [[nodiscard]] ExitRecord make_record(const Rank& rank, int status) const;

  EventLoop& loop_;
  NodeAgentSettings settings_;
  Report report_;
  RunFolder folder_;
  std::optional<NodeSetup> setup_;
  bool is_set_up_ = false;
  std::optional<AgentFailed> setup_failure_;
  int attempt_ = 0;
  StoreSocket store_;
  std::optional<HostClaim> claim_;  ///< as long as it has ranks, on an ssh host
  std::vector<Rank> ranks_;
  HangDetector hang_detector_;
  RankObserver observer_;
  RankStacks stacks_;
  LogWatch log_watch_;
  LoneMpiWatch lone_mpi_watch_;
  std::optional<ProcessManager> process_manager_;  ///< of the attempt
  std::optional<SharedSegments> segments_;         ///< of MPI, in the attempt
  PmixConnections pmix_connections_;
  GuardedProcesses processes_;
  int external_signal_ = 0;
  EventLoop::TimerId kill_timer_ = 0;  ///< of ranks that have notice
};

}  // namespace ddp::agent
