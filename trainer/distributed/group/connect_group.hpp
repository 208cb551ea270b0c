#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ddp/trainer/process_group.hpp"
#include "trainer/distributed/group/group_members.hpp"

namespace ddp::trainer {

/// Joins `members` with the backends that their options ask for, over `store`, of which nobody else uses the
/// keys. A collective of the members. Errors are those of init_process_group().
[[nodiscard]] ProcessGroup connect_group(const c10::intrusive_ptr<c10d::Store>& store, GroupMembers members);

}  // namespace ddp::trainer
