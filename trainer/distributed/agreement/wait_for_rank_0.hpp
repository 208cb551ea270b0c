#pragma once

#include <chrono>
#include <functional>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Returns on all ranks when `done` has returned true on rank 0, which alone is asked, however long that
/// takes: the ranks meet each time that it returns. It is to return after `limit` at the latest, which must
/// be well below the time that a collective may take. The other ranks call `meanwhile` before each meeting,
/// which may take as long. A collective; throws when a peer is gone, and what `meanwhile` throws.
void wait_for_rank_0(
    ProcessGroup& group, std::chrono::milliseconds limit,
    const std::function<bool(std::chrono::milliseconds)>& done,
    const std::function<void(std::chrono::milliseconds)>& meanwhile = [](std::chrono::milliseconds) {});

}  // namespace ddp::trainer
