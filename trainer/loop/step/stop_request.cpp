#include "trainer/loop/step/stop_request.hpp"

#include <csignal>

namespace ddp::trainer {
namespace {

/// Whether a person wants the end, not a time limit or a scheduler that leave time for a checkpoint.
bool is_order(std::uint32_t stop_requested) {
  return stop_requested == SIGTERM || stop_requested == SIGINT;
}

}  // namespace

bool is_asked_to_stop(const ProgressPage& page, AtStake at_stake) {
  const auto request = page.stop_requested.load(std::memory_order_relaxed);
  return at_stake == AtStake::steps ? request != 0 : is_order(request);
}

}  // namespace ddp::trainer
