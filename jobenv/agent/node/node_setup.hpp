#pragma once

#include <functional>
#include <string>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/guarded_processes.hpp"
#include "jobenv/agent/process/shell_state.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// LaunchPlan::setup on the host of one agent. The shell stays when its lines are done, and what they have
/// started in the background with it; all goes with this object, or with the agent.
class NodeSetup {
 public:
  using Done = std::function<void(tl::expected<ShellState, AgentFailed> state)>;

  /// `loop` must outlive this. `done` is called once, from within the loop's handlers.
  NodeSetup(EventLoop& loop, const LaunchPlan& plan, int node_rank, Done done);
  NodeSetup(const NodeSetup&) = delete;
  NodeSetup& operator=(const NodeSetup&) = delete;
  ~NodeSetup() { loop_.forget(watch_); }

  /// `descriptor_limit`: as that of GuardedProcess.
  [[nodiscard]] Expected<void> start(const EnvMap& environment,
                                     const std::optional<rlimit>& descriptor_limit);

 private:
  [[nodiscard]] std::filesystem::path failure_report() const;
  void read_state();
  void on_report(const GuardReport& report);
  void fail(std::string what);

  EventLoop& loop_;
  const LaunchPlan& plan_;
  int node_rank_;
  Done done_;  ///< empty: it was called
  GuardedProcess shell_;
  GuardedProcesses processes_;
  FileDescriptor result_;
  EventLoop::WatchId watch_ = 0;
  std::string text_;  ///< that came from result_
  std::string start_failure_;
};

}  // namespace ddp::agent
