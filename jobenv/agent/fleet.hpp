#pragma once

#include <functional>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/run_event.hpp"

namespace ddp::agent {

/// The agents of a run, however they are reached. Single-threaded, on head's loop.
class Fleet {
 public:
  using OnEvent = std::function<void(const RunEvent& event)>;
  virtual ~Fleet() = default;

  /// Brings the agents to life; each introduces itself by an AgentJoined event.
  [[nodiscard]] virtual Expected<void> launch() = 0;

  /// An agent that is gone hears nothing; AgentLost has told.
  virtual void send(AgentId agent, const HeadMessage& message) = 0;

  /// The run is over: lets all agents go, by force if need be, then calls `done`.
  virtual void dismiss(std::function<void()> done) = 0;
};

}  // namespace ddp::agent
