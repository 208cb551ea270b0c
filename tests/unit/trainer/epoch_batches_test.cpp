#include "trainer/loop/epoch_batches.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

// Sample i is the number i.
class Counting : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return 100; }
  [[nodiscard]] Batch gather(const std::int64_t* indices, std::int64_t count) const override {
    const auto targets = at::tensor(at::IntArrayRef(indices, static_cast<std::size_t>(count)), at::kLong);
    return {targets.to(at::kFloat), targets};
  }
};

std::vector<std::int64_t> targets_of(const Batch& batch) {
  const auto* first = batch.targets.const_data_ptr<std::int64_t>();
  return {first, first + batch.targets.size(0)};
}

TEST(EpochBatches, KeepsTheOrderAndTheTail) {
  const Counting dataset;
  const EpochBatches batches(dataset, {9, 7, 5, 3, 1}, 2, Tail::keep);
  ASSERT_EQ(batches.count(), 3);
  EXPECT_EQ(targets_of(batches.at(0)), (std::vector<std::int64_t>{9, 7}));
  EXPECT_EQ(targets_of(batches.at(1)), (std::vector<std::int64_t>{5, 3}));
  EXPECT_EQ(targets_of(batches.at(2)), (std::vector<std::int64_t>{1}));
}

TEST(EpochBatches, DropsTheTail) {
  const Counting dataset;
  EXPECT_EQ(EpochBatches(dataset, {9, 7, 5, 3, 1}, 2, Tail::drop).count(), 2);
  EXPECT_EQ(EpochBatches(dataset, {9, 7, 5, 3}, 2, Tail::drop).count(), 2);
  EXPECT_EQ(EpochBatches(dataset, {9}, 2, Tail::drop).count(), 0);
}

}  // namespace
}  // namespace ddp::trainer
