#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/run_folder.hpp"
#include "jobenv/record/stacks/stack_record.hpp"

namespace ddp::agent {

/// Serves the requests of `ddpsubmit stack`, which are files in the run folder, and keeps the stacks that
/// were taken for a hang. Looks for requests once an interval: a run may be controlled from a host that has
/// nothing in common with head's but the folder. Single-threaded, on head's loop.
class StackDesk {
 public:
  using Post = std::function<void(const RunEvent& event)>;

  /// `loop` must outlive it; `post` takes the requests.
  StackDesk(EventLoop& loop, RunFolder folder, std::chrono::milliseconds interval, Post post)
      : loop_(loop), folder_(std::move(folder)), interval_(interval), post_(std::move(post)) {}
  StackDesk(const StackDesk&) = delete;
  StackDesk& operator=(const StackDesk&) = delete;
  ~StackDesk() { stop(); }

  /// Of `world_size` ranks; begins to look for requests.
  void begin_attempt(int number, int world_size);
  void take(const RunEvent& event);
  /// The run has ended: requests get no answer any more.
  void stop();

 private:
  struct Request {
    StackRecord record;
    std::set<AgentId> awaited;
    EventLoop::TimerId deadline = 0;
  };

  void look_later();
  void look();
  void accept(const std::string& id);
  void add(AgentId agent, const StacksTaken& taken);
  void forget(AgentId agent);
  void answer(const std::string& wanted);
  [[nodiscard]] StackRecord begin_record(std::size_t ranks) const;

  EventLoop& loop_;
  RunFolder folder_;
  std::chrono::milliseconds interval_;
  Post post_;
  int attempt_ = 0;
  int world_size_ = 0;
  std::set<AgentId> agents_;
  std::map<std::string, Request> requests_;  ///< by their id
  std::string last_hang_;                    ///< the id of the last look at one, in this attempt
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace ddp::agent
