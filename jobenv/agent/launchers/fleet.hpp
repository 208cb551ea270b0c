#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// The agents of a run, however they are reached. Single-threaded, on head's loop.
class Fleet {
 public:
  using OnEvent = std::function<void(const RunEvent& event)>;
  virtual ~Fleet() = default;

  /// Brings the agents to life; each introduces itself by an AgentJoined event.
  [[nodiscard]] virtual Expected<void> launch() = 0;

  /// The same once more when not all agents live any more: each introduces itself, under a new number.
  /// LauncherStarted tells when they are awaited, LauncherEnded what does not start. Who can lets those that
  /// live introduce themselves again; else they go, and when nothing that was started is left new ones come.
  virtual void relaunch() = 0;

  /// An agent that is gone hears nothing; AgentLost has told.
  virtual void send(AgentId agent, const HeadMessage& message) = 0;

  /// Takes what the agents have said until now, before anything is decided because they did not say it.
  virtual void hear_out() {}

  /// How many connections of strangers head has closed.
  [[nodiscard]] virtual std::uint64_t turned_away() const { return 0; }

  /// The run is over: lets all agents go, by force if need be, then calls `done`.
  virtual void dismiss(std::function<void()> done) = 0;
};

/// What a fleet is made with.
struct FleetSettings {
  LaunchPlan plan;
  EnvMap environment;  ///< head's own
  std::string host;    ///< head's
  std::string job_id;  ///< of the scheduler; empty without one
  std::optional<rlimit>
      descriptor_limit;  ///< RLIMIT_NOFILE for what is started, and so for the ranks; nullopt: head's
  int input = -1;        ///< descriptor of what rank 0 reads as its stdin; -1: nothing
};

/// What a fleet is made of. `loop` must outlive it.
struct FleetOrder {
  EventLoop& loop;
  FleetSettings settings;
  Fleet::OnEvent on_event;
  /// Called where others start the agents, once these can reach head.
  std::function<void(const remote::HeadAddress& address)> announce;
};

}  // namespace ddp::agent
