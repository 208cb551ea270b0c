#include "trainer/loop/epoch_batches.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

// Sample i is the number i.
class Counting : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return 100; }
  [[nodiscard]] SampleShape sample_shape() const override { return {{1}, 100}; }

 private:
  void write_sample(std::int64_t index, std::uint64_t, float* input, std::int64_t* target) const override {
    *input = static_cast<float>(index);
    *target = index;
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
