#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ddp/jobenv/rank_layout.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// Which agents are there. What an agent says of itself is checked against the plan and against the others.
class RollCall {
 public:
  /// `hosts`: those of the job, where the scheduler has named them; else any will do.
  RollCall(const LaunchPlan& plan, std::vector<std::string> hosts);

  /// Refuses ranks outside the plan, in another place than the plan puts them, or taken, and hosts that do
  /// not fit.
  [[nodiscard]] Expected<void> add(const AgentJoined& joined);
  void remove(AgentId agent);

  [[nodiscard]] bool complete() const { return static_cast<int>(agent_of_.size()) == layout_.world_size(); }
  /// "2 of 4 ranks have connected; missing: 2, 3; nobody from node2".
  [[nodiscard]] std::string render_missing() const;
  /// Hosts of the job from which no agent has come, in their order; none when the job has not named its
  /// hosts.
  [[nodiscard]] std::vector<std::string> missing_hosts() const;

  /// The nodes, by their ranks in the plan, of which all ranks have an agent.
  [[nodiscard]] std::vector<int> present_nodes() const;
  /// Does with the first `nodes` of those present: their ranks are numbered anew, and the roll call is
  /// complete.
  void reduce_to(int nodes);
  /// By node rank; that in the plan.
  [[nodiscard]] const std::vector<int>& planned_nodes() const { return planned_nodes_; }

  [[nodiscard]] const std::map<AgentId, AgentJoined>& agents() const { return agents_; }
  [[nodiscard]] std::optional<AgentId> agent_of(int rank) const;
  /// By node rank; only when complete.
  [[nodiscard]] std::vector<std::string> hosts() const;

  /// The address that the ranks of `agent` use: loopback on a single node, else what rendezvous.interface
  /// names, else the agent's end of its connection. On head's own host that end says nothing: there it is the
  /// address of head that an agent elsewhere has reached.
  [[nodiscard]] std::string interface_of(AgentId agent) const;

 private:
  [[nodiscard]] Expected<void> check(const AgentJoined& joined) const;
  void take_in(const AgentJoined& joined);
  /// What keeps `host` from being node `node`: an agent that is there; empty: nothing.
  [[nodiscard]] std::string find_contradiction(const std::string& host, int node) const;
  [[nodiscard]] bool is_present(int node) const;

  RankLayout layout_;
  std::vector<int> planned_nodes_;
  std::vector<std::string> expected_hosts_;
  std::set<std::string> expected_;  ///< the same
  /// A node and its host, as its agents have said.
  struct NodeOnHost {
    std::string host;
    int agents = 0;
  };
  std::map<int, NodeOnHost> nodes_;
  std::map<std::string, int> node_of_;  ///< a host
  std::map<AgentId, AgentJoined> agents_;
  std::map<int, AgentId> agent_of_;
};

}  // namespace ddp::agent
