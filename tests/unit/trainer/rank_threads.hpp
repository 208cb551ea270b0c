#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

namespace ddp::trainer {

/// Runs `rank_main` for each of `ranks` ranks, in a thread each. An exception of one of them ends the
/// process.
inline void run_ranks(int ranks, const std::function<void(int rank)>& rank_main) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([&, rank] { rank_main(rank); });
}

/// Over the loopback.
inline c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> gloo_options() {
  auto options = c10d::ProcessGroupGloo::Options::create(std::chrono::minutes(1));
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return options;
}

/// Has Gloo begin a collective, and waits for it. All groups of a process write one record of what is begun,
/// and take no turns.
template <class Begin>
void run_collective(const Begin& begin) {
  static std::mutex record;
  const auto work = [&] {
    const std::scoped_lock one_at_a_time(record);
    return begin();
  }();
  work->wait();
}

}  // namespace ddp::trainer
