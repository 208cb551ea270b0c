#include "trainer/loop/open_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "ddp/trainer/init_process_group.hpp"
#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

class Samples final : public Dataset {
 public:
  Samples(std::int64_t size, std::int64_t classes) : size_(size), classes_(classes) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] SampleShape sample_shape() const override { return {{2}, classes_}; }

 private:
  void write_sample(std::int64_t /*index*/, std::uint64_t /*epoch*/, float* input,
                    std::int64_t* target) const override {
    std::fill_n(input, 2, 0.0F);
    *target = 0;
  }

  std::int64_t size_;
  std::int64_t classes_;
};

/// What is said of data of `size` samples and `classes` classes, for a model of three outputs.
std::string said_of(Split split, std::int64_t size, std::int64_t classes) {
  TrainConfig config;
  config.model = {"mlp", {{"num_classes", std::int64_t{3}}}};
  config.data.source = {"samples", {}};
  const std::vector<DatasetKind> own = {{.schema = {.name = "samples", .doc = "", .options = {}},
                                         .make = [&](const Component&, Split, std::uint64_t) {
                                           return std::make_unique<Samples>(size, classes);
                                         }}};
  ProcessGroup group = init_process_group({});
  try {
    return open_data(config, split, own, group)->size() == size ? "" : "another dataset";
  } catch (const InvalidConfiguration& refused) {
    return std::string("configuration: ") + refused.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(OpenData, WantsASampleInEachSplit) {
  EXPECT_EQ(said_of(Split::train, 1, 3), "");
  EXPECT_EQ(said_of(Split::test, 1, 3), "");
  EXPECT_EQ(said_of(Split::train, 0, 3),
            "train.data: there are no samples in the training data of 'samples'");
  EXPECT_EQ(said_of(Split::test, 0, 3), "train.data: there are no samples in the test data of 'samples'");
}

TEST(OpenData, WantsAnOutputForEachClassOfEachSplit) {
  EXPECT_EQ(said_of(Split::train, 5, 4),
            "configuration: train.model.num_classes: the training data has 4 classes, up to target 3; set "
            "num_classes: 4, "
            "or correct the data");
  EXPECT_EQ(said_of(Split::test, 5, 7),
            "configuration: train.model.num_classes: the test data has 7 classes, up to target 6; set "
            "num_classes: 7, or "
            "correct the data");
}

}  // namespace
}  // namespace ddp::trainer
