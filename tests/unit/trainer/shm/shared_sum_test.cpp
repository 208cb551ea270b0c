#include "trainer/shm/shared_sum.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "tests/unit/trainer/shm/shared_places.hpp"

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Values;

Ranks sums_of_gloo(const Ranks& terms, const c10d::AllreduceOptions& options = {}) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto ranks = static_cast<int>(terms.size());
  Ranks sums(terms.size());
  run_ranks(ranks, [&](int rank) {
    c10d::ProcessGroupGloo gloo(store, rank, ranks, gloo_options());
    std::vector<at::Tensor> tensor = {terms[static_cast<std::size_t>(rank)].clone()};
    gloo.allreduce(tensor, options)->wait();
    sums[static_cast<std::size_t>(rank)] = tensor.front();
    gloo.barrier()->wait();
  });
  return sums;
}

Ranks sums_in_memory(const Ranks& terms, std::vector<SharedSlots>& places,
                     SharedReduction reduction = SharedReduction::sum) {
  Ranks sums(terms.size());
  run_ranks(static_cast<int>(terms.size()), [&](int rank) {
    const auto number = static_cast<std::size_t>(rank);
    sums[number] = terms[number].clone();
    SharedSum(places[number]).add_up(sums[number], reduction);
  });
  return sums;
}

class SharedSumOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedSumOf, Values(2, 3, 4, 5, 8));

TEST_P(SharedSumOf, HasTheBitsOfGloo) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const std::vector<std::int64_t> all{0, 1, 2, 3, 7, 31, 100, 16'384, 32'769, 100'003};
  const std::vector<std::int64_t> some{0, 7, 32'769};
  for (const auto type : {at::kFloat, at::kDouble, at::kInt, at::kLong, at::kHalf, at::kBFloat16}) {
    for (const std::int64_t elements : type == at::kFloat ? all : some) {
      const Ranks terms = random_terms(ranks, elements, type);
      const Ranks expected = sums_of_gloo(terms);
      const Ranks sums = sums_in_memory(terms, memory);
      for (std::size_t rank = 0; rank < sums.size(); ++rank) {
        EXPECT_TRUE(same_bytes(sums[rank], expected[rank]))
            << elements << " of " << type << ", rank " << rank;
      }
    }
  }
}

// Gloo cuts it into more segments than it needs for few ranks.
TEST_P(SharedSumOf, HasTheBitsOfGlooForLargeTensors) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const Ranks terms = random_terms(ranks, 5'000'011, at::kFloat);
  const Ranks expected = sums_of_gloo(terms);
  const Ranks sums = sums_in_memory(terms, memory);
  for (std::size_t rank = 0; rank < sums.size(); ++rank) EXPECT_TRUE(same_bytes(sums[rank], expected[rank]));
}

TEST_P(SharedSumOf, HasTheAveragesOfGloo) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const Ranks terms = random_terms(ranks, 100'003, type);
    const Ranks expected = sums_of_gloo(terms, {.reduceOp = c10d::ReduceOp::AVG});
    const Ranks averages = sums_in_memory(terms, memory, SharedReduction::average);
    for (std::size_t rank = 0; rank < averages.size(); ++rank) {
      EXPECT_TRUE(same_bytes(averages[rank], expected[rank])) << type << ", rank " << rank;
    }
  }
}

TEST(SharedSum, OrderTells) {
  const Ranks terms = random_terms(3, 100, at::kFloat);
  EXPECT_FALSE(same_bytes(terms[0] + terms[1] + terms[2], sums_of_gloo(terms)[0]));
}

TEST_P(SharedSumOf, ManyInARowStayApart) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  run_ranks(ranks, [&](int rank) {
    for (std::int64_t round = 0; round < 300; ++round) {
      const std::int64_t elements = round * 977 % 70'000;  // of one to five pieces
      at::Tensor tensor = at::full({elements}, (rank + 1) * round, at::kLong);
      SharedSum(memory[static_cast<std::size_t>(rank)]).add_up(tensor);
      const std::int64_t sum = ranks * (ranks + 1) / 2 * round;
      ASSERT_TRUE(tensor.eq(sum).all().item<bool>()) << "rank " << rank << ", round " << round;
    }
  });
}

TEST(SharedSum, KeepsTheShapeOfATensor) {
  auto memory = places(2);
  const at::Tensor images =
      at::arange(2 * 3 * 4 * 4, at::kFloat).view({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
  const Ranks sums = sums_in_memory({images, images}, memory);
  EXPECT_TRUE(sums[0].equal(images * 2));
  EXPECT_TRUE(sums[1].is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(SharedSum, TensorsThatDifferAreAnErrorOnAllRanks) {
  auto memory = places(3);
  run_ranks(3, [&](int rank) {
    const at::Tensor tensor = rank == 1 ? at::zeros({4}, at::kLong) : at::zeros({5}, at::kFloat);
    try {
      SharedSum(memory[static_cast<std::size_t>(rank)]).add_up(tensor);
      ADD_FAILURE() << "rank " << rank << " has not noticed";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 has 4 elements of Long in an all-reduce"));
      EXPECT_THAT(error.what(), HasSubstr("has 5 elements of Float in an all-reduce"));
    }
  });
}

std::string why_lost(SharedSlots& slots) {
  const at::Tensor tensor = at::zeros({5});
  try {
    SharedSum(slots).add_up(tensor);
    return "";
  } catch (const c10::DistBackendError& lost) {
    return lost.what_without_backtrace();
  }
}

/// A rank in a process of its own, which takes its place, and does nothing until it ends.
class RankProcess {
 public:
  RankProcess(const std::string& address, int rank, int ranks) {
    std::array<int, 2> here{};
    std::array<int, 2> end{};
    EXPECT_EQ(pipe(here.data()) + pipe(end.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(end[1]);
      const SharedSlots place(SharedMemory::open(address), rank, ranks, rank);
      close(here[1]);
      char none = 0;
      _exit(static_cast<int>(read(end[0], &none, 1)));
    }
    close(here[1]);
    close(end[0]);
    char none = 0;
    (void)!read(here[0], &none, 1);
    close(here[0]);
    end_ = end[1];
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void end() {
    close(end_);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
  int end_ = -1;
};

struct FirstRank {
  explicit FirstRank(int ranks) : FirstRank(SharedMemory::create(SharedSlots::bytes_for(ranks)), ranks) {}
  FirstRank(SharedMemory memory, int ranks)
      : address(memory.address()), slots(std::move(memory), 0, ranks, 0) {}
  std::string address;
  SharedSlots slots;
};

TEST(SharedSum, ARankThatEndsIsNamed) {
  FirstRank mine(2);
  RankProcess other(mine.address, 1, 2);
  mine.slots.begin(1h);
  other.end();
  EXPECT_EQ(why_lost(mine.slots), "rank 1, process " + std::to_string(other.pid()) +
                                      " of this host, has ended in the middle of an all-reduce");
}

TEST(SharedSum, ARankIsNamedByItsNumberInTheJob) {
  auto memory = SharedMemory::create(SharedSlots::bytes_for(2));
  SharedSlots mine(SharedMemory::open(memory.address()), 0, 2, 4);
  SharedSlots late(SharedMemory::open(memory.address()), 1, 2, 6);
  mine.begin(1ms);
  EXPECT_THAT(why_lost(mine), HasSubstr("rank 6 did not join"));
}

TEST(SharedSum, ARankThatHasEndedAtTheBeginningIsNamed) {
  FirstRank mine(2);
  RankProcess other(mine.address, 1, 2);
  other.end();
  mine.slots.begin(1h);
  EXPECT_THAT(why_lost(mine.slots), HasSubstr("rank 1, process " + std::to_string(other.pid())));
}

TEST(SharedSum, ARankThatEndsIsNamedAndNotOneThatIsLate) {
  FirstRank mine(3);
  RankProcess late(mine.address, 1, 3);
  RankProcess other(mine.address, 2, 3);
  mine.slots.begin(1h);
  other.end();
  EXPECT_THAT(why_lost(mine.slots), HasSubstr("rank 2, process " + std::to_string(other.pid())));
  late.end();
}

TEST(SharedSum, WhatARankDidBeforeItEndedCounts) {
  FirstRank mine(2);
  const pid_t child = fork();
  if (child == 0) {  // puts its terms there, and leaves without waiting for rank 0
    SharedSlots theirs(SharedMemory::open(mine.address), 1, 2, 1);
    theirs.begin(1ms);
    (void)why_lost(theirs);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  mine.slots.begin(1h);
  EXPECT_EQ(why_lost(mine.slots), "");
  EXPECT_THAT(why_lost(mine.slots), HasSubstr("has ended"));
}

TEST(SharedSum, AfterAFailureItAddsNothingUp) {
  auto memory = places(2, 1ms);
  EXPECT_THAT(why_lost(memory[0]), HasSubstr("did not join"));
  EXPECT_THAT(why_lost(memory[0]), HasSubstr("before this one has failed"));
}

TEST(SharedSum, ARankThatIsTooLateIsNamed) {
  auto memory = places(2, 20ms);
  EXPECT_EQ(why_lost(memory[0]), "rank 1 did not join an all-reduce within 20 ms");
}

}  // namespace
}  // namespace ddp::trainer
