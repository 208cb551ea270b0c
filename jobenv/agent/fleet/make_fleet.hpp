#pragma once

#include <functional>
#include <memory>

#include "jobenv/agent/fleet/fleet.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// Makes the fleet that the launcher and the set-up lines of a plan ask for; nothing is started yet. `loop`
/// must outlive it. `announce` is called where others start the agents, once these can reach head.
[[nodiscard]] std::unique_ptr<Fleet> make_fleet(
    EventLoop& loop, FleetSettings settings, Fleet::OnEvent on_event,
    std::function<void(const remote::HeadAddress& address)> announce);

}  // namespace ddp::agent
