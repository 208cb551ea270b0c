#include "jobenv/agent/node/log_turns.hpp"

#include <algorithm>
#include <utility>

namespace ddp::agent {
namespace {

constexpr std::size_t kMostDoublings = 20;

}  // namespace

std::optional<LogSizes> LogTurns::look(const LogSizes& now, Time time) {
  const auto before = std::exchange(seen_, now);
  const bool is_turn = now.out > before.out && before.err != noted_.err;
  if (!is_turn || (notes_ > 0 && time - noted_at_ < pause())) return std::nullopt;
  noted_ = before;
  noted_at_ = time;
  ++notes_;
  return before;
}

std::chrono::milliseconds LogTurns::pause() const {
  const auto doublings = std::min(notes_ / kNotesPerPause, kMostDoublings);
  return doublings == 0 ? std::chrono::milliseconds(0) : kPause * (1U << doublings);
}

}  // namespace ddp::agent
