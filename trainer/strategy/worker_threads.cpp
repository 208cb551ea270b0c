#include "trainer/strategy/worker_threads.hpp"

#include <utility>

namespace ddp::trainer {

WorkerThreads::WorkerThreads(int count, std::function<void()> on_start) {
  for (int index = 0; index < count; ++index)
    threads_.emplace_back([this, index, on_start] { work(index, on_start); });
}

WorkerThreads::~WorkerThreads() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerThreads::run(const std::function<void(int)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  running_ = static_cast<int>(threads_.size());
  ++round_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return running_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerThreads::work(int index, const std::function<void()>& on_start) {
  on_start();
  std::unique_lock lock(mutex_);
  for (std::uint64_t done = 0;; ++done) {
    changed_.wait(lock, [&] { return stopping_ || round_ > done; });
    if (stopping_) return;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*task_)(index);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace ddp::trainer
