#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "ddp/trainer/comm_hook.hpp"
#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The hook for a Reducer, which sums with `group`; nullptr for CommHook::none, where the Reducer averages by
/// itself.
[[nodiscard]] std::unique_ptr<c10d::CommHookInterface> make_comm_hook(
    CommHook hook, const c10::intrusive_ptr<c10d::ProcessGroup>& group);

/// Tries whether the backend of `device` adds up the type that `hook` sends: not every build of Gloo does. A
/// collective, but for CommHook::none. Throws InvalidConfiguration that names the type when it does not.
void require_comm_hook(CommHook hook, const at::Device& device, ProcessGroup& group);

/// The same for any type.
void require_sum_of(at::ScalarType type, const at::Device& device, ProcessGroup& group);

}  // namespace ddp::trainer
