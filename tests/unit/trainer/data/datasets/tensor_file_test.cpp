#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <limits>

#include "ddp/trainer/invalid_configuration.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/component.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/data/datasets/datasets.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;
using Options = std::map<std::string, OptionValue>;

class TensorFileTest : public testing::Test {
 protected:
  [[nodiscard]] Component source(const NamedTensors& tensors, Options changed = {}) const {
    const auto file = folder_ / "train.safetensors";
    std::filesystem::remove(file);
    save_safetensors(file, tensors);
    changed["train_file"] = file.string();
    return make_component(bundled_schemas().datasets, "tensor_file", std::move(changed));
  }

  /// What is told before anything is queued.
  static std::string conflict(const Component& source) {
    return find_schema(bundled_schemas().datasets, "tensor_file")->conflict(source);
  }
  static std::optional<SampleShape> shape(const Component& source) {
    return find_schema(bundled_schemas().datasets, "tensor_file")->sample_shape(source);
  }

  static std::string error(const Component& source) {
    try {
      (void)make_dataset(source, Split::train, 0);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(TensorFileTest, GivesFloatsAsTheyAre) {
  const auto inputs = at::randn({9, 4, 5});
  for (const auto type : {torch::kInt64, torch::kInt32, torch::kUInt8}) {
    const auto targets = at::randint(7, {9}, type);
    const Component file =
        source({{"inputs", inputs}, {"targets", targets}, {"x", at::ones({3}, torch::kUInt8)}});
    EXPECT_EQ(conflict(file), "");
    EXPECT_EQ(shape(file)->dims, (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(shape(file)->classes, 0);
    const auto data = make_dataset(file, Split::train, 0);
    ASSERT_EQ(data->size(), 9);
    EXPECT_EQ(data->sample_shape().classes, targets.max().item<std::int64_t>() + 1);
    const std::vector<std::int64_t> some = {8, 0, 3};
    const Batch batch = data->gather(some, 0);
    EXPECT_TRUE(same_tensor(batch.inputs, inputs.index_select(0, at::tensor(some))));
    EXPECT_TRUE(same_tensor(batch.targets, targets.to(torch::kInt64).index_select(0, at::tensor(some))));
  }
}

TEST_F(TensorFileTest, TreatsBytesAsImages) {
  const auto inputs = at::randint(256, {3, 2, 4, 5}, torch::kUInt8);
  const Component file = source(
      {{"inputs", inputs}, {"targets", at::arange(3)}},
      {{"normalize", true}, {"mean", std::vector<double>{0.25, 0.5}}, {"std", std::vector<double>{0.5, 2}}});
  EXPECT_EQ(conflict(file), "");
  const auto mean = at::tensor({0.25, 0.5}, torch::kFloat32).view({2, 1, 1});
  const auto deviation = at::tensor({0.5, 2.0}, torch::kFloat32).view({2, 1, 1});
  const std::vector<std::int64_t> all = {0, 1, 2};
  const Batch batch = make_dataset(file, Split::train, 0)->gather(all, 0);
  EXPECT_TRUE(same_tensor(batch.inputs, inputs.to(torch::kFloat32).div(255).sub(mean).div(deviation)));
}

TEST_F(TensorFileTest, TakesBytesOfAnyShape) {
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{2, 6}, {2, 3, 4}, {2, 2, 3, 4, 5}}) {
    const auto inputs = at::randint(256, sizes, torch::kUInt8);
    const std::vector<std::int64_t> both = {0, 1};
    const Batch batch =
        make_dataset(source({{"inputs", inputs}, {"targets", at::arange(2)}}), Split::train, 0)
            ->gather(both, 0);
    EXPECT_TRUE(same_tensor(batch.inputs, inputs.to(torch::kFloat32).div(255)));
  }
}

TEST_F(TensorFileTest, SaysWhatIsWrongBeforeAndWhenItIsRead) {
  const auto inputs = at::ones({3, 2});
  const auto targets = at::arange(3);
  const auto expect = [&](const Component& file, const char* message) {
    EXPECT_THAT(conflict(file), HasSubstr(message));
    EXPECT_THAT(error(file), HasSubstr(message));
  };
  expect(source({{"inputs", inputs}}), "contains no tensor 'targets'");
  expect(source({{"images", inputs}, {"targets", targets}}), "contains no tensor 'inputs'");
  expect(source({{"inputs", inputs.to(torch::kFloat64)}, {"targets", targets}}), "'inputs' has type F64");
  expect(source({{"inputs", inputs}, {"targets", inputs}}), "'targets' has type F32");
  expect(source({{"inputs", inputs}, {"targets", at::arange(4)}}), "'targets' has 4");
  expect(source({{"inputs", targets.to(torch::kFloat32)}, {"targets", targets}}), "at least another one");
  expect(source({{"inputs", at::ones({0, 2})}, {"targets", at::arange(0)}}), "contains no samples");
}

TEST_F(TensorFileTest, RefusesOptionsThatAreNotForItsData) {
  const auto inputs = at::ones({3, 2});
  const auto targets = at::arange(3);
  const auto expect = [&](const Component& file, const char* message) {
    EXPECT_THAT(conflict(file), HasSubstr(message));
    EXPECT_THAT([&] { (void)make_dataset(file, Split::train, 0); },
                testing::ThrowsMessage<InvalidConfiguration>(HasSubstr(message)));
  };
  expect(source({{"inputs", inputs}, {"targets", targets}}, {{"horizontal_flip", true}}),
         "inputs have type F32");
  const auto bytes = inputs.to(torch::kUInt8);
  expect(source({{"inputs", bytes}, {"targets", targets}}, {{"horizontal_flip", true}}), "need images");
  expect(source({{"inputs", bytes}, {"targets", targets}}, {{"normalize", true}}), "'mean' has 0 numbers");
}

TEST_F(TensorFileTest, RefusesANegativeClass) {
  EXPECT_THAT(error(source({{"inputs", at::ones({3, 2})}, {"targets", at::tensor({0, -1, 2}, at::kLong)}})),
              HasSubstr("target 1 is -1"));
}

TEST_F(TensorFileTest, RefusesAClassThatNoModelCouldHave) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(error(source({{"inputs", at::ones({3, 2})},
                            {"targets", at::tensor(std::vector<std::int64_t>{0, 1, kMost})}})),
              HasSubstr("target 2 is 9223372036854775807, but the highest allowed class is 2147483647"));
}

TEST_F(TensorFileTest, OpensRegularFilesOnly) {
  const Component good = source({{"inputs", at::ones({3, 2})}, {"targets", at::arange(3)}});
  const auto file = folder_ / "train.safetensors";
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_THAT(conflict(good), HasSubstr("train.safetensors' cannot be read: it is a folder"));
  std::filesystem::remove(file);
  mkfifo(file.c_str(), 0600);
  EXPECT_THAT(conflict(good), HasSubstr("train.safetensors' cannot be read: it is not a regular file"));
  EXPECT_THAT(error(good), HasSubstr("train.safetensors' cannot be read: it is not a regular file"));
}

TEST_F(TensorFileTest, GathersNothingWhenNothingIsAskedFor) {
  const auto data =
      make_dataset(source({{"inputs", at::ones({3, 2})}, {"targets", at::arange(3)}}), Split::train, 0);
  const Batch batch = data->gather({}, 0);
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(batch.targets.numel(), 0);
}

TEST_F(TensorFileTest, ReadsAFileThatNobodyVouchesFor) {
  const auto file = folder_ / "train.safetensors";
  const Component good = source({{"inputs", at::ones({3, 2})}, {"targets", at::arange(3)}});
  const auto size = std::filesystem::file_size(file);
  for (std::uintmax_t kept = 0; kept < size; ++kept) {
    std::filesystem::resize_file(file, kept);
    EXPECT_THAT(conflict(good), HasSubstr("is not a valid safetensors file")) << kept;
    EXPECT_THAT(error(good), HasSubstr("is not a valid safetensors file")) << kept;
    EXPECT_FALSE(shape(good));
    (void)source({{"inputs", at::ones({3, 2})}, {"targets", at::arange(3)}});
  }
  std::ofstream(file, std::ios::binary) << std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F{}", 10);
  EXPECT_THAT(conflict(good), HasSubstr("its header would have"));
}

TEST_F(TensorFileTest, BothFilesHoldTheSameKindOfSamples) {
  const Component train = source({{"inputs", at::ones({3, 2})}, {"targets", at::arange(3)}});
  save_safetensors(folder_ / "test.safetensors", {{"inputs", at::ones({3, 4})}, {"targets", at::arange(3)}});
  Component both = train;
  both.options["test_file"] = (folder_ / "test.safetensors").string();
  EXPECT_THAT(conflict(both), HasSubstr("have different shapes"));
}

}  // namespace
}  // namespace ddp::trainer
