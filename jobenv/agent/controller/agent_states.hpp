#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/exit_record.hpp"

namespace ddp::agent {

/// The agents of an attempt, from the complete roll call on, and how their ranks have ended as far as they
/// have told.
class AgentStates {
 public:
  struct Agent {
    std::string host;
    std::vector<int> ranks;
    std::size_t living = 0;  ///< of its ranks
    bool drained = false;    ///< it has said that nothing of its ranks is left
    bool lost = false;
    bool swept = false;  ///< its host is free of the run's processes, though it did not say so itself
  };

  void take(const std::map<AgentId, AgentJoined>& joined);
  /// Others are to come, if `take` follows; the same ones run another attempt after `begin_attempt`.
  void clear();
  void begin_attempt();

  [[nodiscard]] bool contains(AgentId agent) const { return agents_.contains(agent); }
  [[nodiscard]] std::size_t size() const { return agents_.size(); }
  /// Of an agent that is contained, here and below.
  [[nodiscard]] const Agent& at(AgentId agent) const { return agents_.at(agent); }
  void mark_drained(AgentId agent);
  void mark_lost(AgentId agent);
  [[nodiscard]] std::vector<AgentId> ids() const;
  /// Those that still listen.
  [[nodiscard]] std::vector<AgentId> listeners() const;

  /// The end of a rank; false: it was known.
  bool add(const ExitRecord& record);
  [[nodiscard]] const std::map<int, ExitRecord>& records() const { return records_; }

  /// Those that have not ended, by their numbers.
  [[nodiscard]] std::vector<int> living_ranks() const;

  /// Nothing is expected of any of them: they hold no ranks.
  void write_off();
  void mark_swept(const std::string& host);

  [[nodiscard]] bool any_lost() const { return lost_ > 0; }
  /// Whether one lives that has not drained.
  [[nodiscard]] bool any_holds_ranks() const { return holders_ > 0; }
  [[nodiscard]] static bool reported_all(const Agent& agent) { return agent.living == 0; }
  [[nodiscard]] bool all_ranks_accounted() const { return unaccounted_ == 0; }
  /// All ranks are accounted for, and every agent has drained or is lost.
  [[nodiscard]] bool all_done() const;
  /// Where something of the run may be left.
  [[nodiscard]] std::set<std::string> unconfirmed_hosts() const;
  /// "rank 3 on node2", the first that has not ended.
  [[nodiscard]] std::string render_late_rank() const;

 private:
  template <class Change>
  void change(Agent& agent, Change change);
  void count(const Agent& agent, std::ptrdiff_t times);

  std::map<AgentId, Agent> agents_;
  std::map<int, AgentId> agent_of_;  ///< a rank
  std::map<int, ExitRecord> records_;
  // Agents. Each rank that ends asks for these: they are not counted anew.
  std::ptrdiff_t lost_ = 0;
  std::ptrdiff_t holders_ = 0;      ///< that live and have not drained
  std::ptrdiff_t unaccounted_ = 0;  ///< that live and have ranks whose end is not known
};

}  // namespace ddp::agent
