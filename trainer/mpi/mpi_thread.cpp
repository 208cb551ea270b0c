#include "trainer/mpi/mpi_thread.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "trainer/mpi/mpi_error.hpp"
#include "trainer/mpi/poll_pace.hpp"

namespace ddp::trainer {
namespace {

// A rank that has its own result may still have to pass on that of others, which MPI does when it is called.
constexpr std::chrono::microseconds kShortestIdle{100};
constexpr std::chrono::microseconds kLongestIdle{10'000};

std::string describe_lateness(const std::string& name, std::chrono::milliseconds timeout) {
  return name + " was not done within " + std::to_string(timeout.count()) + " ms";
}

void end_well(const MpiOperation& operation) {
  try {
    if (operation.after) operation.after();
  } catch (...) {
    return operation.work->fail(std::current_exception());
  }
  operation.work->succeed();
}

}  // namespace

MpiThread::MpiThread() {
  std::thread([this] { run(); }).detach();
}

void MpiThread::enqueue(MpiOperation operation) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    const auto deadline = Clock::now() + operation.timeout;
    queue_.push_back({std::move(operation), MPI_REQUEST_NULL, deadline});
  }
  news_.notify_one();
}

void MpiThread::call(const std::string& name, std::chrono::milliseconds timeout,
                     std::function<void()> function) {
  const auto work = make_silent_work();
  enqueue({.name = name,
           .work = work,
           .post =
               [function = std::move(function)](MPI_Request* /*request*/) {
                 function();
                 return MPI_SUCCESS;
               },
           .timeout = timeout});
  if (!work->ends_within(timeout)) {
    const auto late = std::make_exception_ptr(c10::DistBackendError({}, describe_lateness(name, timeout)));
    {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = late;
    }
    std::rethrow_exception(late);
  }
  work->wait();
}

bool MpiThread::has_failed() {
  const std::scoped_lock lock(mutex_);
  return failure_ != nullptr;
}

void MpiThread::run() {
  try {
    serve_operations();
  } catch (...) {
    fail_all(std::current_exception());
  }
}

void MpiThread::serve_operations() {
  PollPace pace;
  auto idle = kShortestIdle;
  for (;;) {
    arrived_ = take_new(active_.empty() ? idle : pace.pause());
    if (!arrived_.empty()) pace.restart();
    post_arrived();
    if (active_.empty()) {
      make_progress();
      idle = std::min(2 * idle, kLongestIdle);
      continue;
    }
    idle = kShortestIdle;
    const auto begin = Clock::now();
    const bool something_ended = ask();
    pace.asked(begin, Clock::now(), something_ended);
  }
}

/// Waits for news, but no longer than `pause`, or without end while there is no MPI to look after.
std::deque<MpiThread::Posted> MpiThread::take_new(std::chrono::microseconds pause) {
  std::unique_lock lock(mutex_);
  const auto has_news = [this] { return !queue_.empty(); };
  if (active_.empty() && !connected_) {
    news_.wait(lock, has_news);
  } else if (pause.count() > 0) {
    news_.wait_for(lock, pause, has_news);
  } else if (queue_.empty()) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  if (failure_) std::rethrow_exception(failure_);  // of a call that was late, though it has come back
  return std::exchange(queue_, {});
}

void MpiThread::post_arrived() {
  while (!arrived_.empty()) {
    active_.push_back(std::move(arrived_.front()));
    arrived_.pop_front();
    Posted& posted = active_.back();
    require_success(posted.operation.post(&posted.request), posted.operation.name.c_str());
  }
}

bool MpiThread::ask() {
  bool something_ended = false;
  // Operations that end free their place after their work has ended: `after` may keep the tensors for long.
  for (auto at = active_.begin(); at != active_.end();) {
    if (has_ended(*at)) {
      end_well(at->operation);
      at = active_.erase(at);
      something_ended = true;
    } else {
      ++at;
    }
  }
  return something_ended;
}

bool MpiThread::has_ended(Posted& posted) {
  const MpiOperation& operation = posted.operation;
  if (posted.request == MPI_REQUEST_NULL) return true;  // of a call that blocks; MPI may have ended with it
  int done = 0;
  require_success(mpi_calls().test(&posted.request, &done, MPI_STATUS_IGNORE), operation.name.c_str());
  if (done == 0 && Clock::now() > posted.deadline)
    C10_THROW_ERROR(DistBackendError, describe_lateness(operation.name, operation.timeout));
  return done != 0;
}

void MpiThread::make_progress() {
  int found = 0;
  if (connected_)
    require_success(
        mpi_calls().iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE),
        "MPI_Iprobe");
}

void MpiThread::fail_all(const std::exception_ptr& error) {
  std::deque<Posted> unposted;
  {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = error;
    unposted = std::exchange(queue_, {});
  }
  for (const Posted& posted : active_) posted.operation.work->fail(error);
  for (const auto* queue : {&arrived_, &unposted}) {
    for (const Posted& posted : *queue) posted.operation.work->fail(error);
  }
}

}  // namespace ddp::trainer
