#include "trainer/app/last_words.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "ddp/jobenv/rank_contract.hpp"

namespace ddp::trainer {
namespace {

template <class Thrown>
[[noreturn]] void die_in_a_thread(const Thrown& thrown) {
  leave_when_uncaught(3);
  std::thread([&] { throw thrown; }).join();
  std::abort();
}

/// Each in a process of its own from the start: a fork would take no threads along.
class LastWords : public testing::Test {
 protected:
  LastWords() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~LastWords() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};

TEST_F(LastWords, OfAWatchdogThatGivesUpArePeerLost) {
  EXPECT_EXIT(die_in_a_thread(c10::DistBackendError({}, "the all-reduce took too long")),
              testing::ExitedWithCode(kExitPeerLost), "\\[rank 3\\] a peer is gone.*took too long");
}

TEST_F(LastWords, OfAnyOtherThreadAreItsException) {
  EXPECT_EXIT(die_in_a_thread(std::runtime_error("disk full")), testing::ExitedWithCode(1),
              "\\[rank 3\\] disk full");
}

}  // namespace
}  // namespace ddp::trainer
