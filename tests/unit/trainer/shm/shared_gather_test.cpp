#include "trainer/shm/shared_gather.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "tests/unit/trainer/shm/shared_places.hpp"

namespace ddp::trainer {
namespace {

enum class GatherInput { in_place, apart };

/// What each rank has in the end.
Ranks gather_in_memory(const Ranks& inputs, std::vector<SharedSlots>& places, GatherInput kind) {
  Ranks outputs(inputs.size());
  run_ranks(static_cast<int>(inputs.size()), [&](int rank) {
    const auto number = static_cast<std::size_t>(rank);
    const at::Tensor& input = inputs[number];
    outputs[number] =
        at::full({input.numel() * static_cast<std::int64_t>(inputs.size())}, 1, input.options());
    const at::Tensor own = outputs[number].narrow(0, rank * input.numel(), input.numel());
    if (kind == GatherInput::in_place) own.copy_(input);
    SharedGather(places[number]).gather(outputs[number], kind == GatherInput::in_place ? own : input);
  });
  return outputs;
}

at::Tensor gathered_by_gloo(const Ranks& inputs) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto ranks = static_cast<int>(inputs.size());
  Ranks outputs(inputs.size());
  run_ranks(ranks, [&](int rank) {
    c10d::ProcessGroupGloo gloo(store, rank, ranks, gloo_options());
    at::Tensor input = inputs[static_cast<std::size_t>(rank)];
    at::Tensor output = at::zeros({input.numel() * ranks}, input.options());
    gloo._allgather_base(output, input)->wait();
    outputs[static_cast<std::size_t>(rank)] = output;
    gloo.barrier()->wait();
  });
  return outputs.front();
}

class SharedGatherOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SharedGatherOf, testing::Values(1, 2, 3, 4, 8));

TEST_P(SharedGatherOf, HasTheTensorsOfAllRanks) {
  const int ranks = GetParam();
  auto memory = places(ranks);
  const std::vector<std::int64_t> all{0, 1, 7, 1000,
                                      static_cast<std::int64_t>(3 * SharedSlots::kBytes / 4 + 1)};
  const std::vector<std::int64_t> some{0, 7, 1000};
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte, at::kBool, at::kLong,
                          at::kComplexDouble}) {
    for (const std::int64_t elements : type == at::kFloat ? all : some) {
      Ranks inputs;
      for (int rank = 0; rank < ranks; ++rank)
        inputs.push_back(at::randint(0, 2, {elements}).to(type) * rank);
      for (const GatherInput kind : {GatherInput::in_place, GatherInput::apart}) {
        for (const at::Tensor& output : gather_in_memory(inputs, memory, kind)) {
          EXPECT_TRUE(same_bytes(output, at::cat(inputs))) << elements << " of " << type;
        }
      }
    }
  }
}

TEST_P(SharedGatherOf, HasTheBytesOfGloo) {
  auto memory = places(GetParam());
  const Ranks inputs = random_terms(GetParam(), 300'001, at::kFloat);
  const at::Tensor expected = gathered_by_gloo(inputs);
  for (const at::Tensor& output : gather_in_memory(inputs, memory, GatherInput::in_place)) {
    EXPECT_TRUE(same_bytes(output, expected));
  }
}

}  // namespace
}  // namespace ddp::trainer
