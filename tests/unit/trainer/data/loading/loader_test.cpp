#include "trainer/data/loading/loader.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

/// Sample i of epoch e is the number i + e / 10; there is no sample 13.
class Counting : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return 100; }
  [[nodiscard]] SampleShape sample_shape() const override { return {{2, 3}, 100}; }

 private:
  void write_sample(std::int64_t index, std::uint64_t epoch, float* input,
                    std::int64_t* target) const override {
    if (index == 13) throw std::runtime_error("sample 13 is damaged");
    std::fill_n(input, 6, static_cast<float>(index) + static_cast<float>(epoch) / 10);
    *target = index;
  }
};

/// Images of two channels.
class Pictures : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return 5; }
  [[nodiscard]] SampleShape sample_shape() const override { return {{2, 4, 5}, 5}; }

 private:
  void write_sample(std::int64_t index, std::uint64_t /*epoch*/, float* input,
                    std::int64_t* target) const override {
    std::iota(input, input + 40, static_cast<float>(100 * index));
    *target = index;
  }
};

std::vector<std::int64_t> targets_of(const Batch& batch) {
  const auto* first = batch.targets.const_data_ptr<std::int64_t>();
  return {first, first + batch.targets.size(0)};
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(last - first));
  std::iota(list.begin(), list.end(), first);
  return list;
}

class LoaderOf : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] Loader make(std::int64_t batch_size, Tail tail = Tail::keep) const {
    return {dataset_, {.batch_size = batch_size, .tail = tail, .workers = GetParam()}};
  }
  Counting dataset_;
};

TEST_P(LoaderOf, GivesTheBatchesInOrder) {
  Loader loader = make(2);
  loader.start({9, 7, 5, 3, 1}, 0);
  for (const auto& expected : {std::vector<std::int64_t>{9, 7}, {5, 3}, {1}}) {
    const Batch batch = loader.next();
    EXPECT_EQ(targets_of(batch), expected);
    EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{std::ssize(expected), 2, 3}));
    EXPECT_TRUE(batch.inputs.select(1, 0).select(1, 0).equal(batch.targets.to(torch::kFloat32)));
  }
  EXPECT_EQ(loader.remaining(), 0);
}

TEST_P(LoaderOf, LaysImagesOutAsItIsTold) {
  const Pictures pictures;
  Loader plain(pictures, {.batch_size = 3, .workers = GetParam()});
  Loader loader(pictures, {.batch_size = 3, .workers = GetParam(), .images = at::MemoryFormat::ChannelsLast});
  plain.start({4, 1, 3}, 0);
  loader.start({4, 1, 3}, 0);
  const Batch batch = loader.next();
  EXPECT_EQ(batch.inputs.strides(), (std::vector<std::int64_t>{40, 1, 10, 2}));
  EXPECT_TRUE(same_tensor(batch.inputs, plain.next().inputs));
  Loader rows(dataset_, {.batch_size = 1, .workers = GetParam(), .images = at::MemoryFormat::ChannelsLast});
  rows.start({4}, 0);
  EXPECT_TRUE(rows.next().inputs.is_contiguous());
}

TEST_P(LoaderOf, DropsTheTail) {
  Loader loader = make(2, Tail::drop);
  loader.start({9, 7, 5}, 0);
  EXPECT_EQ(loader.remaining(), 1);
  EXPECT_EQ(targets_of(loader.next()), (std::vector<std::int64_t>{9, 7}));
  loader.start({9}, 0);
  EXPECT_EQ(loader.remaining(), 0);
}

TEST_P(LoaderOf, BeginsAtAnyBatch) {
  Loader loader = make(3);
  for (std::int64_t first = 0; first <= 4; ++first) {
    loader.start(numbers(20, 32), 0, first);
    EXPECT_EQ(loader.remaining(), 4 - first);
    for (std::int64_t i = first; i < 4; ++i)
      EXPECT_EQ(targets_of(loader.next()), numbers(20 + 3 * i, 23 + 3 * i));
  }
}

TEST_P(LoaderOf, CanBeginAnewInTheMiddle) {
  Loader loader = make(1);
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    loader.start(numbers(20, 100), epoch);
    const Batch batch = loader.next();
    EXPECT_EQ(targets_of(batch).front(), 20);
    EXPECT_EQ(batch.inputs.min().item<float>(), 20 + static_cast<float>(epoch) / 10);
  }
}

TEST_P(LoaderOf, ThrowsWhatTheDatasetThrowsWhenItIsTheTurnOfThatBatch) {
  Loader loader = make(5);
  loader.start(numbers(0, 100), 0);
  EXPECT_EQ(targets_of(loader.next()), numbers(0, 5));
  EXPECT_EQ(targets_of(loader.next()), numbers(5, 10));
  EXPECT_THROW((void)loader.next(), std::runtime_error);
  EXPECT_EQ(targets_of(loader.next()), numbers(15, 20));
}

TEST_P(LoaderOf, LeavesBatchesThatAreHeldAlone) {
  Loader loader = make(4);
  loader.start(numbers(20, 100), 3);
  std::vector<Batch> held;
  while (loader.remaining() > 0) held.push_back(loader.next());
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto first = 20 + 4 * static_cast<std::int64_t>(i);
    EXPECT_EQ(targets_of(held[i]), numbers(first, first + 4));
    EXPECT_TRUE(same_tensor(held[i].inputs, dataset_.gather(numbers(first, first + 4), 3).inputs));
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderOf, testing::Values(0, 1, 3), testing::PrintToStringParamName());

}  // namespace
}  // namespace ddp::trainer
