#include "trainer/checkpoint/writes_in_flight.hpp"

#include <condition_variable>
#include <mutex>

namespace ddp::trainer {
namespace {

struct Writes {
  std::mutex mutex;
  std::condition_variable ended;
  int count = 0;
};

Writes& writes() {
  static Writes writes;
  return writes;
}

}  // namespace

WriteInFlight::WriteInFlight() {
  const std::scoped_lock lock(writes().mutex);
  ++writes().count;
}

WriteInFlight::~WriteInFlight() {
  const std::scoped_lock lock(writes().mutex);
  --writes().count;
  writes().ended.notify_all();
}

bool await_writes(std::chrono::milliseconds limit) {
  std::unique_lock lock(writes().mutex);
  return writes().ended.wait_for(lock, limit, [] { return writes().count == 0; });
}

}  // namespace ddp::trainer
