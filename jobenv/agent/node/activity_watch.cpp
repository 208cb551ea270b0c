#include "jobenv/agent/node/activity_watch.hpp"

#include <algorithm>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

// Timers of libraries, heartbeats and garbage collectors are no work.
constexpr double kCpuShare = 0.01;
constexpr milliseconds kCpuBurst{200};
constexpr double kBytesPerSecond = 1 << 10;
constexpr double kByteBurst = 64 << 10;
constexpr double kGpuPercent = 1;
constexpr int kLateLook = 4;  // times the interval

}  // namespace

void ActivityWatch::begin_look(Time now) {
  if (now_ && now - *now_ > kLateLook * interval_) ranks_.clear();
  now_ = now;
}

void ActivityWatch::observe(int number, const Activity& activity, const CountBytes& count_bytes) {
  const auto found = ranks_.find(number);
  if (found == ranks_.end() || has_worked(found->second, activity)) {
    ranks_[number] = {activity, std::nullopt, *now_};
    return;
  }
  Rank& rank = found->second;
  const auto bytes = count_bytes();
  if (!rank.bytes) rank.bytes = bytes;
  if (exceeds(bytes, *rank.bytes, rank.since)) rank = {activity, bytes, *now_};
}

void ActivityWatch::rebase(int number, const Activity& activity, const CountBytes& count_bytes) {
  const auto found = ranks_.find(number);
  if (found == ranks_.end()) return observe(number, activity, count_bytes);
  found->second.activity = activity;
  found->second.bytes = count_bytes();
}

milliseconds ActivityWatch::idle_for(int number) const {
  const auto found = ranks_.find(number);
  if (found == ranks_.end()) return milliseconds(0);
  return std::chrono::duration_cast<milliseconds>(*now_ - found->second.since);
}

bool ActivityWatch::has_worked(const Rank& rank, const Activity& now) const {
  const Seconds elapsed = *now_ - rank.since;
  const Seconds cpu = now.cpu - rank.activity.cpu;
  return now.printed != rank.activity.printed || now.gpu_percent >= kGpuPercent ||
         cpu > std::max<Seconds>(kCpuBurst, kCpuShare * elapsed);
}

/// Of children and sockets that are gone nothing is counted any more: less is a sign of work, too.
bool ActivityWatch::exceeds(std::uint64_t bytes, std::uint64_t before, Time since) const {
  const auto moved = static_cast<double>(std::max(bytes, before) - std::min(bytes, before));
  return moved > std::max(kByteBurst, kBytesPerSecond * Seconds(*now_ - since).count());
}

}  // namespace ddp::agent
