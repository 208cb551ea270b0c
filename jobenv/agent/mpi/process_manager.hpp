#pragma once

#include <functional>
#include <map>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/mpi/pmi_server.hpp"
#include "jobenv/agent/process/guarded_process.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Connects the ranks of an agent as mpiexec does, for one attempt: serves PMI-1 to them, and ends those that
/// call MPI_Abort.
class ProcessManager {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `job` is that of any of the ranks. `loop` must outlive this; `report` is called from
  /// within its handlers.
  ProcessManager(EventLoop& loop, const JobEnvironment& job, Report report);

  /// Gives a rank its socket, and the variables that say so.
  [[nodiscard]] Expected<void> equip(const LaunchPlan& plan, int rank, GuardedProcess& process,
                                     EnvMap& environment);
  void on_forked() { server_.close_rank_ends(); }
  void on_started(int rank, pid_t pid);
  void on_ended(int rank) { ranks_.erase(rank); }

  void take(const PmiPairs& pairs) { server_.take(pairs); }
  void end_barrier() { server_.end_barrier(); }

  /// What MPI has said of a rank that failed; empty: nothing.
  [[nodiscard]] std::string failure_of(int rank) const;

 private:
  void on_abort(int rank, const std::string& code);
  void end(int rank) const;

  Report report_;
  std::map<int, pid_t> ranks_;          ///< that run
  std::map<int, std::string> aborted_;  ///< in words
  PmiServer server_;
};

}  // namespace ddp::agent
