#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

namespace ddp::trainer {

/// All groups of a process write one record of their collectives, and take no turns: without it threads can
/// be ranks. Set before anybody asks for it.
inline const bool kNoFlightRecorder = setenv("TORCH_FR_BUFFER_SIZE", "0", 1) == 0;

/// Runs `rank_main` for each of `ranks` ranks, in a thread each. An exception of one of them ends the
/// process.
inline void run_ranks(int ranks, const std::function<void(int rank)>& rank_main) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([&, rank] { rank_main(rank); });
}

/// Over the loopback. Ranks take turns: gloo::interfaceToBusID(), which each device calls, puts names into a
/// map without a lock.
inline c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> gloo_options() {
  static std::mutex turns;
  const std::scoped_lock turn(turns);
  auto options = c10d::ProcessGroupGloo::Options::create(std::chrono::minutes(1));
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return options;
}

}  // namespace ddp::trainer
