#include "trainer/data/loading/ordered_prefetch.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <string>
#include <system_error>

namespace ddp::trainer {
namespace {

TEST(OrderedPrefetch, KeepsTheOrderWhateverTheThreadsDo) {
  for (const int threads : {1, 2, 7}) {
    OrderedPrefetch<std::int64_t> items({.first = 3, .end = 200, .threads = threads, .ahead = 5},
                                        [](std::int64_t number) {
                                          if (number % 3 == 0) std::this_thread::yield();
                                          return number * number;
                                        });
    for (std::int64_t i = 3; i < 200; ++i) EXPECT_EQ(items.next(), i * i);
  }
}

TEST(OrderedPrefetch, MakesNoMoreAheadThanAsked) {
  std::atomic<std::int64_t> made{0};
  std::atomic<std::int64_t> taken{0};
  std::atomic<bool> too_far{false};
  OrderedPrefetch<int> items({.first = 0, .end = 100, .threads = 3, .ahead = 4}, [&](std::int64_t) {
    // `taken` is raised before the item is taken.
    if (++made > taken + 4) too_far = true;
    return 0;
  });
  for (int i = 0; i < 100; ++i) {
    ++taken;
    (void)items.next();
  }
  EXPECT_EQ(made, 100);
  EXPECT_FALSE(too_far);
}

TEST(OrderedPrefetch, WorksAhead) {
  std::latch others(3);
  OrderedPrefetch<int> items({.first = 0, .end = 3, .threads = 3, .ahead = 3}, [&](std::int64_t) {
    others.arrive_and_wait();  // all three at once, before any is asked for
    return 0;
  });
  others.wait();
}

TEST(OrderedPrefetch, ThrowsAtTheItemThatFailedAndGoesOn) {
  OrderedPrefetch<std::string> items({.first = 0, .end = 6, .threads = 2, .ahead = 3},
                                     [](std::int64_t number) {
                                       if (number == 3) throw std::runtime_error("no item 3");
                                       return std::to_string(number);
                                     });
  for (const char* expected : {"0", "1", "2"}) EXPECT_EQ(items.next(), expected);
  EXPECT_THROW((void)items.next(), std::runtime_error);
  EXPECT_EQ(items.next(), "4");
}

TEST(OrderedPrefetch, CanBeLeftAtAnyItem) {
  for (int taken = 0; taken <= 10; ++taken) {
    OrderedPrefetch<std::vector<int>> items({.first = 0, .end = 10, .threads = 2, .ahead = 4},
                                            [](std::int64_t number) {
                                              if (number == 9) throw std::runtime_error("never asked for");
                                              return std::vector<int>(100, 1);
                                            });
    for (int i = 0; i < std::min(taken, 9); ++i) (void)items.next();
  }
}

/// Leaves room in the address space for the stacks of a few threads.
void allow_few_threads() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t size = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
  const rlimit limit{size, size};
  setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void start_more_threads_than_fit() {
  allow_few_threads();
  try {
    OrderedPrefetch<int> items({.first = 0, .end = 1000, .threads = 1000, .ahead = 1000},
                               [](std::int64_t) { return 0; });
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "threw %s", error.code().message().c_str());
    std::_Exit(3);
  }
  std::_Exit(0);
}

TEST(OrderedPrefetchDeathTest, ThrowsWhenAThreadCannotBeStarted) {
  EXPECT_EXIT(start_more_threads_than_fit(), testing::ExitedWithCode(3), "threw Resource temporarily");
}

}  // namespace
}  // namespace ddp::trainer
