#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/component.hpp"
#include "trainer/augment/crop_flip.hpp"
#include "trainer/data/datasets/datasets.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;
using Options = std::map<std::string, OptionValue>;

std::string bytes_of(const torch::Tensor& tensor) {
  const auto bytes = tensor.contiguous();
  return {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()};
}

/// CIFAR-10 in small: four records in each of the six files.
class SmallCifar10 : public testing::Test {
 protected:
  SmallCifar10() {
    for (int i = 1; i <= 5; ++i)
      write("data_batch_" + std::to_string(i) + ".bin", train_.narrow(0, 4 * (i - 1), 4));
    write("test_batch.bin", train_.narrow(0, 0, 3));
  }

  void write(const std::string& name, const torch::Tensor& records) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes_of(records);
  }

  [[nodiscard]] Component source(Options changed = {}) const {
    changed["root"] = folder_.path().string();
    return make_component(bundled_schemas().datasets, "cifar10", std::move(changed));
  }

  [[nodiscard]] std::string error() const {
    try {
      (void)make_dataset(source(), Split::train, 0);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  /// A record is its class and its pixels.
  static torch::Tensor random_records(std::int64_t count) {
    return at::cat(
        {at::randint(10, {count, 1}, torch::kUInt8), at::randint(256, {count, 3072}, torch::kUInt8)}, 1);
  }

  TemporaryFolder folder_;
  torch::Tensor train_ = random_records(20);
};

TEST_F(SmallCifar10, HasTheRecordsOfItsFilesInOrder) {
  const auto train = make_dataset(source({{"normalize", false}}), Split::train, 0);
  ASSERT_EQ(train->size(), 20);
  EXPECT_EQ(train->sample_shape().dims, (std::vector<std::int64_t>{3, 32, 32}));
  EXPECT_EQ(train->sample_shape().classes, 10);
  const std::vector<std::int64_t> some = {19, 0, 7, 7};
  const Batch batch = train->gather(some, 0);
  const auto records = train_.index_select(0, at::tensor(some));
  EXPECT_TRUE(batch.targets.equal(records.select(1, 0).to(torch::kInt64)));
  EXPECT_TRUE(
      batch.inputs.equal(records.narrow(1, 1, 3072).to(torch::kFloat32).div(255).view({4, 3, 32, 32})));
  EXPECT_EQ(make_dataset(source(), Split::test, 0)->size(), 3);
}

TEST_F(SmallCifar10, CropsAndMirrorsTrainingImagesAsDrawn) {
  const Options augment = {
      {"normalize", false}, {"random_crop_padding", std::int64_t{4}}, {"horizontal_flip", true}};
  const auto train = make_dataset(source(augment), Split::train, 11);
  const auto padded = at::constant_pad_nd(train_.narrow(1, 1, 3072).view({20, 3, 32, 32}), {4, 4, 4, 4});
  for (const std::uint64_t epoch : {0, 1}) {
    for (std::int64_t i = 0; i < 20; ++i) {
      const CropFlip drawn = draw_crop_flip({.crop_padding = 4, .horizontal_flip = true}, 11, epoch, i);
      auto expected = padded[i].narrow(1, 4 + drawn.dy, 32).narrow(2, 4 + drawn.dx, 32);
      if (drawn.flip) expected = expected.flip(2);
      EXPECT_TRUE(train->gather({&i, 1}, epoch).inputs[0].equal(expected.to(torch::kFloat32).div(255)));
    }
  }
}

TEST_F(SmallCifar10, LeavesTestImagesAsTheyAre) {
  const std::vector<std::int64_t> all = {0, 1, 2};
  const Options augment = {{"random_crop_padding", std::int64_t{4}}, {"horizontal_flip", true}};
  const Batch plain = make_dataset(source(), Split::test, 11)->gather(all, 0);
  EXPECT_TRUE(make_dataset(source(augment), Split::test, 11)->gather(all, 5).inputs.equal(plain.inputs));
}

TEST_F(SmallCifar10, NamesAFileThatIsNoneOfItsFormat) {
  write("data_batch_3.bin", at::zeros({3072}, torch::kUInt8));
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("data_batch_3.bin"), HasSubstr("3072 bytes")));
  write("data_batch_3.bin", at::full({3073}, 10, torch::kUInt8));
  EXPECT_THAT(error(), HasSubstr("contains class 10"));
  std::filesystem::resize_file(folder_ / "data_batch_3.bin", 0);
  EXPECT_THAT(error(), HasSubstr("0 bytes"));
}

TEST_F(SmallCifar10, SaysWhereToGetIt) {
  std::filesystem::remove(folder_ / "data_batch_4.bin");
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("data_batch_4.bin"), HasSubstr("cifar-10-binary.tar.gz")));
}

TEST_F(SmallCifar10, RefusesAnIndexOutside) {
  const auto train = make_dataset(source(), Split::train, 0);
  for (const std::int64_t index : {-1, 20})
    EXPECT_THROW((void)train->gather({&index, 1}, 0), std::out_of_range);
}

}  // namespace
}  // namespace ddp::trainer
