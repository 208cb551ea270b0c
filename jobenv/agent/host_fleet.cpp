#include "jobenv/agent/host_fleet.hpp"

namespace ddp::agent {
namespace {

/// For agents to leave after they were told to; one that is cut off is told by its lease.
constexpr std::chrono::seconds kAgentPatience{5};
constexpr std::chrono::milliseconds kLook{5};

}  // namespace

HostFleet::HostFleet(EventLoop& loop, const LaunchPlan& plan, OnEvent on_event, Announce announce)
    : loop_(loop),
      reach_(plan.nodes == 1 ? Reach::this_host : Reach::all_hosts),
      on_event_(std::move(on_event)),
      announce_(std::move(announce)),
      connections_(loop, on_event_) {}

Expected<void> HostFleet::launch() {
  if (auto opened = connections_.open(reach_); !opened) return opened;
  announce_(connections_.address());
  return {};
}

/// Those that live are as good as new ones; the others come by themselves.
void HostFleet::relaunch() {
  patience_ = loop_.after(std::chrono::milliseconds(0), [this] {
    on_event_(LauncherStarted{});
    connections_.introduce_again();
  });
}

void HostFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  dismissed_at_ = std::chrono::steady_clock::now();
  loop_.cancel(patience_);
  connections_.end();
  await_departure();
}

void HostFleet::await_departure() {
  const bool late = std::chrono::steady_clock::now() - dismissed_at_ > kAgentPatience;
  if (connections_.empty() || late) return dismissed_();
  patience_ = loop_.after(kLook, [this] { await_departure(); });
}

}  // namespace ddp::agent
