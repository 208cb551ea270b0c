#include "trainer/shm/shared_sum.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/rank_threads.hpp"

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
    run_collective([&] { return gloo.allreduce(tensor); });
    sums[static_cast<std::size_t>(rank)] = tensor.front();
    run_collective([&] { return gloo.barrier(); });
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
  return a.nbytes() == b.nbytes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

class SharedSumOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedSumOf, Values(2, 3, 4, 5, 8));

TEST_P(SharedSumOf, HasTheBitsOfGloo) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  for (const auto type : {at::kFloat, at::kDouble, at::kInt, at::kLong}) {
    for (const std::int64_t elements : {0, 1, 2, 3, 7, 31, 100, 16'384, 32'769, 100'003}) {
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

TEST(SharedSum, ARankThatEndsIsNamed) {
  auto memory = SharedMemory::create(SharedSum::bytes_for(2));
  const std::string address = memory.address();
  SharedSum mine(std::move(memory), 0, 2);
  const pid_t child = fork();
  if (child == 0) {
    const SharedSum theirs(SharedMemory::open(address), 1, 2);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  mine.begin(1h);
  EXPECT_EQ(why_lost(mine), "rank 1, process " + std::to_string(child) +
                                " of this host, has ended in the middle of an all-reduce");
}

TEST(SharedSum, WhatARankDidBeforeItEndedCounts) {
  auto memory = SharedMemory::create(SharedSum::bytes_for(2));
  const std::string address = memory.address();
  SharedSum mine(std::move(memory), 0, 2);
  const pid_t child = fork();
  if (child == 0) {
    // The rank 0 of this process is behind a fork, but its place is taken: the child may go on alone until it
    // waits.
    SharedSum theirs(SharedMemory::open(address), 1, 2);
    theirs.begin(1ms);
    (void)why_lost(theirs);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  mine.begin(1h);
  EXPECT_EQ(why_lost(mine), "");
  EXPECT_THAT(why_lost(mine), HasSubstr("has ended"));
}

TEST(SharedSum, ARankThatIsTooLateIsNamed) {
  auto memory = places(2, 20ms);
  EXPECT_EQ(why_lost(memory[0]), "rank 1 has not come to an all-reduce within 20 ms");
}

}  // namespace
}  // namespace ddp::trainer
