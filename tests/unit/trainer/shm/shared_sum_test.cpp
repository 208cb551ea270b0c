#include "trainer/shm/shared_sum.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Values;

using Ranks = std::vector<at::Tensor>;

/// Of numbers of very different size, so that the last bits tell in which order they were added up.
Ranks random_terms(int ranks, std::int64_t elements, at::ScalarType type) {
  Ranks terms;
  for (int rank = 0; rank < ranks; ++rank) {
    const at::Tensor sizes = at::randint(-20, 20, {elements}, at::kDouble).exp2();
    terms.push_back((at::randn({elements}, at::kDouble) * sizes).to(type));
  }
  return terms;
}

Ranks sums_of_gloo(const Ranks& terms) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto ranks = static_cast<int>(terms.size());
  Ranks sums(terms.size());
  run_ranks(ranks, [&](int rank) {
    c10d::ProcessGroupGloo gloo(store, rank, ranks, gloo_options());
    std::vector<at::Tensor> tensor = {terms[static_cast<std::size_t>(rank)].clone()};
    gloo.allreduce(tensor)->wait();
    sums[static_cast<std::size_t>(rank)] = tensor.front();
    gloo.barrier()->wait();
  });
  return sums;
}

/// The places of `ranks` ranks, all of which have come.
std::vector<SharedSum> places(int ranks, std::chrono::milliseconds timeout = 1min) {
  std::vector<SharedSum> sums;
  auto memory = SharedMemory::create(SharedSum::bytes_for(ranks));
  const std::string address = memory.address();
  for (int rank = 0; rank < ranks; ++rank) sums.emplace_back(SharedMemory::open(address), rank, ranks);
  for (SharedSum& sum : sums) sum.begin(timeout);
  return sums;
}

Ranks sums_in_memory(const Ranks& terms, std::vector<SharedSum>& places) {
  Ranks sums(terms.size());
  run_ranks(static_cast<int>(terms.size()), [&](int rank) {
    const auto number = static_cast<std::size_t>(rank);
    sums[number] = terms[number].clone();
    places[number].add_up(sums[number]);
  });
  return sums;
}

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == b.nbytes() &&
         (a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

class SharedSumOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedSumOf, Values(2, 3, 4, 5, 8));

TEST_P(SharedSumOf, HasTheBitsOfGloo) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const std::vector<std::int64_t> all{0, 1, 2, 3, 7, 31, 100, 16'384, 32'769, 100'003};
  const std::vector<std::int64_t> some{0, 7, 32'769};
  for (const auto type : {at::kFloat, at::kDouble, at::kInt, at::kLong}) {
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
      memory[static_cast<std::size_t>(rank)].add_up(tensor);
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
      memory[static_cast<std::size_t>(rank)].add_up(tensor);
      ADD_FAILURE() << "rank " << rank << " has not noticed";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 has 4 elements of Long"));
      EXPECT_THAT(error.what(), HasSubstr("has 5 elements of Float"));
    }
  });
}

std::string why_lost(SharedSum& sum) {
  const at::Tensor tensor = at::zeros({5});
  try {
    sum.add_up(tensor);
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
      const SharedSum place(SharedMemory::open(address), rank, ranks);
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
  explicit FirstRank(int ranks) : FirstRank(SharedMemory::create(SharedSum::bytes_for(ranks)), ranks) {}
  FirstRank(SharedMemory memory, int ranks) : address(memory.address()), sum(std::move(memory), 0, ranks) {}
  std::string address;
  SharedSum sum;
};

TEST(SharedSum, ARankThatEndsIsNamed) {
  FirstRank mine(2);
  RankProcess other(mine.address, 1, 2);
  mine.sum.begin(1h);
  other.end();
  EXPECT_EQ(why_lost(mine.sum), "rank 1, process " + std::to_string(other.pid()) +
                                    " of this host, has ended in the middle of an all-reduce");
}

TEST(SharedSum, ARankThatHasEndedAtTheBeginningIsNamed) {
  FirstRank mine(2);
  RankProcess other(mine.address, 1, 2);
  other.end();
  mine.sum.begin(1h);
  EXPECT_THAT(why_lost(mine.sum), HasSubstr("rank 1, process " + std::to_string(other.pid())));
}

TEST(SharedSum, ARankThatEndsIsNamedAndNotOneThatIsLate) {
  FirstRank mine(3);
  RankProcess late(mine.address, 1, 3);
  RankProcess other(mine.address, 2, 3);
  mine.sum.begin(1h);
  other.end();
  EXPECT_THAT(why_lost(mine.sum), HasSubstr("rank 2, process " + std::to_string(other.pid())));
  late.end();
}

TEST(SharedSum, WhatARankDidBeforeItEndedCounts) {
  FirstRank mine(2);
  const pid_t child = fork();
  if (child == 0) {  // puts its terms there, and leaves without waiting for rank 0
    SharedSum theirs(SharedMemory::open(mine.address), 1, 2);
    theirs.begin(1ms);
    (void)why_lost(theirs);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  mine.sum.begin(1h);
  EXPECT_EQ(why_lost(mine.sum), "");
  EXPECT_THAT(why_lost(mine.sum), HasSubstr("has ended"));
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
