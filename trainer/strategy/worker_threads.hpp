#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ddp::trainer {

/// Threads that live as long as this object and run a task together, one call at a time.
class WorkerThreads {
 public:
  /// `on_start` runs once on each thread, before its first task.
  WorkerThreads(int count, std::function<void()> on_start);
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads();

  /// Runs task(0) … task(count - 1), each on a thread of its own, and returns when all are done. The first
  /// exception of a thread comes out here, after all have ended.
  void run(const std::function<void(int)>& task);

 private:
  void work(int index, const std::function<void()>& on_start);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* task_ = nullptr;
  std::uint64_t round_ = 0;
  int running_ = 0;
  bool stopping_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;  // the last member: threads use the others
};

}  // namespace ddp::trainer
