#include "trainer/app/last_words.hpp"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "ddp/jobenv/rank_contract.hpp"

namespace ddp::trainer {
namespace {

using testing::AllOf;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::Not;

const c10::DistBackendError kTooLong({}, "the all-reduce took too long");

template <class Thrown>
[[noreturn]] void die_in_a_thread(const Thrown& thrown) {
  std::thread([&] { throw thrown; }).join();
  std::abort();
}

/// Returns when thread `id` of this process waits for something.
void await_sleep(pid_t id) {
  for (std::string line; line != "State:\tS (sleeping)";) {
    std::ifstream status("/proc/self/task/" + std::to_string(id) + "/status");
    while (std::getline(status, line) && !line.starts_with("State:")) {
    }
  }
}

/// Begins `body` in a thread that nobody joins.
template <class Body>
pid_t start_thread(Body body) {
  std::promise<pid_t> id;
  std::thread([&id, body] {
    id.set_value(gettid());
    body();
  }).detach();
  return id.get_future().get();
}

/// Each in a process of its own from the start: a fork would take no threads along.
class LastWords : public testing::Test {
 protected:
  LastWords() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~LastWords() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};

TEST_F(LastWords, OfAWatchdogThatGivesUpArePeerLost) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3);
        die_in_a_thread(kTooLong);
      },
      ExitedWithCode(kExitPeerLost), "\\[rank 3\\] another rank has exited.*took too long");
}

TEST_F(LastWords, OfAnyOtherThreadAreItsException) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3);
        die_in_a_thread(std::runtime_error("disk full"));
      },
      ExitedWithCode(1), "\\[rank 3\\] disk full");
}

TEST_F(LastWords, BelowTheFirstLineAreIndented) {
  EXPECT_EXIT(leave(3, {9, "no checkpoint\ngive another path"}), ExitedWithCode(9),
              "\\[rank 3\\] no checkpoint\n  give another path\n");
}

TEST_F(LastWords, OfADeviceThatAWatchdogFindsBrokenAreAFailure) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3);
        die_in_a_thread(c10::DistBackendError({}, "CUDA error: uncorrectable ECC error encountered"));
      },
      ExitedWithCode(1), AllOf(HasSubstr("[rank 3] CUDA error: uncorrectable"), Not(HasSubstr("peer"))));
}

TEST_F(LastWords, ComeBeforeWhatHasToBeSettled) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3, [] { std::fputs("settled", stderr); });
        die_in_a_thread(std::runtime_error("disk full"));
      },
      ExitedWithCode(1), "disk full\nsettled");
}

TEST_F(LastWords, AreThoseOfTheFirstThreadThatLeaves) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3);
        leave(3, {1, "disk full"}, [] {
          await_sleep(start_thread([] { throw kTooLong; }));
          std::fputs("settled", stderr);
        });
      },
      ExitedWithCode(1), AllOf(HasSubstr("disk full\nsettled"), Not(HasSubstr("peer"))));
}

TEST_F(LastWords, DoNotWaitForAThreadThatHangsInAWriteToStdout) {
  EXPECT_EXIT(
      {
        leave_when_uncaught(3);
        int ends[2];
        if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) std::abort();
        await_sleep(start_thread([] {
          for (;;) std::puts("more than anybody reads");
        }));
        die_in_a_thread(kTooLong);
      },
      ExitedWithCode(kExitPeerLost), "took too long");
}

}  // namespace
}  // namespace ddp::trainer
