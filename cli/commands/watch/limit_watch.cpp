#include "cli/commands/watch/limit_watch.hpp"

#include "jobenv/record/live/live_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kBetweenLimitLooks{10};
constexpr std::chrono::seconds kUntilKnown{1};

}  // namespace

std::optional<std::chrono::seconds> LimitWatch::time_left(int attempt, Time now) {
  if (now >= next_look_) {
    const auto live = load_live_record(folder_, attempt);
    if (live) end_ = live->job_end;
    next_look_ = now + (live ? kBetweenLimitLooks : kUntilKnown);
  }
  if (!end_ || *end_ <= now) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(*end_ - now);
}

}  // namespace ddp::cli
