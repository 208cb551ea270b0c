#include "trainer/checkpoint/writes_in_flight.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

namespace ddp::trainer {
namespace {

struct Writes {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<const WriteInFlight*> in_flight;
};

Writes& writes() {
  static Writes writes;
  return writes;
}

}  // namespace

WriteInFlight::WriteInFlight(std::function<void()> hurry) : hurry_(std::move(hurry)) {
  const std::scoped_lock lock(writes().mutex);
  writes().in_flight.insert(this);
}

WriteInFlight::~WriteInFlight() {
  const std::scoped_lock lock(writes().mutex);
  writes().in_flight.erase(this);
  writes().ended.notify_all();
}

bool await_writes(std::chrono::milliseconds limit) {
  std::unique_lock lock(writes().mutex);
  for (const WriteInFlight* write : writes().in_flight) write->hurry_();
  return writes().ended.wait_for(lock, limit, [] { return writes().in_flight.empty(); });
}

}  // namespace ddp::trainer
