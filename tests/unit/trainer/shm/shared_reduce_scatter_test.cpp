#include "trainer/shm/shared_reduce_scatter.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "tests/unit/trainer/shm/shared_places.hpp"
#include "trainer/shm/shared_gather.hpp"
#include "trainer/shm/shared_sum.hpp"

namespace ddp::trainer {
namespace {

constexpr auto kSumOrAverage = {SharedReduction::sum, SharedReduction::average};

/// `reduce(rank, output, input)` in a thread for each rank.
template <class Reduce>
Ranks parts_of(const Ranks& inputs, const Reduce& reduce) {
  const auto ranks = static_cast<int>(inputs.size());
  Ranks parts(inputs.size());
  run_ranks(ranks, [&](int rank) {
    at::Tensor input = inputs[static_cast<std::size_t>(rank)].clone();
    at::Tensor output = at::zeros({input.numel() / ranks}, input.options());
    reduce(rank, output, input);
    parts[static_cast<std::size_t>(rank)] = output;
  });
  return parts;
}

Ranks parts_of_gloo(const Ranks& inputs, SharedReduction reduction) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto ranks = static_cast<int>(inputs.size());
  c10d::ReduceScatterOptions options;
  if (reduction == SharedReduction::average) options.reduceOp = c10d::ReduceOp::AVG;
  return parts_of(inputs, [&](int rank, at::Tensor& output, at::Tensor& input) {
    c10d::ProcessGroupGloo gloo(store, rank, ranks, gloo_options());
    gloo._reduce_scatter_base(output, input, options)->wait();
    gloo.barrier()->wait();
  });
}

Ranks parts_in_memory(const Ranks& inputs, std::vector<SharedSlots>& places, SharedReduction reduction) {
  return parts_of(inputs, [&](int rank, const at::Tensor& output, const at::Tensor& input) {
    SharedReduceScatter(places[static_cast<std::size_t>(rank)]).reduce(output, input, reduction);
  });
}

class SharedReduceScatterOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedReduceScatterOf, testing::Values(1, 2, 3, 4, 8));

TEST_P(SharedReduceScatterOf, HasTheBitsOfGloo) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const auto slots = static_cast<std::int64_t>(3 * SharedSlots::kBytes / sizeof(float)) / ranks;
  const std::vector<std::int64_t> all{1, 7, 1000, slots + 1};
  const std::vector<std::int64_t> some{7, 1000};
  for (const SharedReduction reduction : kSumOrAverage) {
    for (const auto type : {at::kFloat, at::kDouble, at::kInt, at::kLong, at::kHalf, at::kBFloat16}) {
      if (!has_bits_of_gloo(type, reduction)) continue;
      for (const std::int64_t elements : type == at::kFloat ? all : some) {
        const Ranks inputs = random_terms(ranks, elements * ranks, type);
        const Ranks expected = parts_of_gloo(inputs, reduction);
        const Ranks parts = parts_in_memory(inputs, memory, reduction);
        for (std::size_t rank = 0; rank < parts.size(); ++rank) {
          EXPECT_TRUE(same_bytes(parts[rank], expected[rank]))
              << elements << " of " << type << ", rank " << rank;
        }
      }
    }
  }
}

TEST_P(SharedReduceScatterOf, NothingIsASum) {
  auto memory = places(GetParam());
  const Ranks inputs = random_terms(GetParam(), 0, at::kFloat);
  for (const at::Tensor& part : parts_in_memory(inputs, memory, SharedReduction::sum))
    EXPECT_EQ(part.numel(), 0);
}

TEST_P(SharedReduceScatterOf, TheOutputMayBeThePartOfTheInput) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const std::int64_t elements = 200'003;
  const Ranks inputs = random_terms(ranks, elements * ranks, at::kFloat);
  const Ranks expected = parts_in_memory(inputs, memory, SharedReduction::average);
  const Ranks parts = parts_of(inputs, [&](int rank, at::Tensor& output, const at::Tensor& input) {
    const at::Tensor place = input.narrow(0, rank * elements, elements);
    SharedReduceScatter(memory[static_cast<std::size_t>(rank)])
        .reduce(place, input, SharedReduction::average);
    output = place;
  });
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    EXPECT_TRUE(same_bytes(parts[rank], expected[rank]));
}

// They use the same memory, of which each leaves what it wants.
TEST_P(SharedReduceScatterOf, CollectivesInARowStayApart) {
  const int ranks = GetParam();
  if (ranks == 1) GTEST_SKIP() << "a sum has two terms or more";
  auto memory = places(ranks);
  run_ranks(ranks, [&](int rank) {
    SharedSlots& slots = memory[static_cast<std::size_t>(rank)];
    for (std::int64_t round = 0; round < 60; ++round) {
      const std::int64_t elements = round * 9777 % 300'000;
      const std::int64_t sum = ranks * (ranks + 1) / 2 * round;
      const at::Tensor all = at::full({elements * ranks}, (rank + 1) * round, at::kLong);
      const at::Tensor part = at::zeros({elements}, at::kLong);
      SharedReduceScatter(slots).reduce(part, all, SharedReduction::sum);
      ASSERT_TRUE(part.eq(sum).all().item<bool>()) << "rank " << rank << ", round " << round;
      SharedGather(slots).gather(all, part + rank);
      for (int other = 0; other < ranks; ++other) {
        const at::Tensor theirs = all.narrow(0, other * elements, elements);
        ASSERT_TRUE(theirs.eq(sum + other).all().item<bool>()) << "rank " << rank << ", round " << round;
      }
      SharedSum(slots).add_up(part);
      ASSERT_TRUE(part.eq(sum * ranks).all().item<bool>()) << "rank " << rank << ", round " << round;
    }
  });
}

}  // namespace
}  // namespace ddp::trainer
