#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "trainer/mpi/mpi_calls.hpp"
#include "trainer/mpi/mpi_work.hpp"

namespace ddp::trainer {

/// What MPI's thread is to do for a work.
struct MpiOperation {
  std::string name;  ///< for messages
  c10::intrusive_ptr<MpiWork> work;
  std::function<int(MPI_Request*)> post;  ///< the nonblocking call; holds the tensors; returns MPI's code
  std::function<void()> after = {};       ///< when it is done; may be empty
  std::chrono::milliseconds timeout;
};

/// The one thread of this process that calls MPI. Posts operations in the order in which they come, and asks
/// MPI for all of them until they are done. The first that fails or is late is the last: all that are on
/// their way fail with it, and so does everything after it. The thread calls nothing of MPI then, as its
/// calls may wait for ranks that are gone, and it may be within one of them; the memory of the operations
/// stays, because MPI may still write to it.
class MpiThread {
 public:
  MpiThread();  ///< never to be destroyed: the thread may be within MPI until the process ends
  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  /// Throws what everything fails with, if something has failed.
  void enqueue(MpiOperation operation);

  /// Has the thread call a function that may block, and waits for it, but no longer than `timeout`. Throws
  /// what it throws; c10::DistBackendError that begins with `name` if it is late.
  void call(const std::string& name, std::chrono::milliseconds timeout, std::function<void()> function);

  [[nodiscard]] bool has_failed();

  /// Between MPI_Init and MPI_Finalize. In this thread only: within call().
  void set_connected(bool connected) { connected_ = connected; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Posted {
    MpiOperation operation;
    MPI_Request request = MPI_REQUEST_NULL;
    Clock::time_point deadline;
  };

  void run();
  void serve_operations();
  [[nodiscard]] std::deque<Posted> take_new(std::chrono::microseconds pause);
  void post_arrived();
  [[nodiscard]] bool ask();
  [[nodiscard]] bool has_ended(Posted& posted);
  void make_progress();
  void fail_all(const std::exception_ptr& error);

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Posted> queue_;
  std::exception_ptr failure_;  // the first

  // Of the thread alone:
  std::deque<Posted> arrived_;  ///< not posted yet
  std::vector<Posted> active_;
  bool connected_ = false;
};

}  // namespace ddp::trainer
