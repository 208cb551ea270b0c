#include "trainer/loop/await_own_part.hpp"

#include <algorithm>
#include <optional>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {

bool await_own_part(const CheckpointWriter& writer, std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLook{20};
  const auto end = std::chrono::steady_clock::now() + limit;
  std::optional<PeerWait> others;
  while (!writer.wait_for(std::min(kLook, limit))) {
    if (std::chrono::steady_clock::now() >= end) return false;
    if (!writer.waits_for_ranks())
      others.reset();
    else if (!others)
      others.emplace();
  }
  return true;
}

}  // namespace ddp::trainer
