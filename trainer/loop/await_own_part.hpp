#pragma once

#include <chrono>

#include "trainer/checkpoint/checkpoint_writer.hpp"

namespace ddp::trainer {

/// Waits for the write in flight, no longer than `limit`; whether there is none any more. While only other
/// ranks still write, a PeerWait says so on this rank's page.
[[nodiscard]] bool await_own_part(const CheckpointWriter& writer, std::chrono::milliseconds limit);

}  // namespace ddp::trainer
