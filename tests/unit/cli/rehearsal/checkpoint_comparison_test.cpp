#include "cli/rehearsal/checkpoint_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A safetensors file with the tensors `weight` and `bias`, four bytes each.
std::string make_tensors(const std::string& data, const std::string& dtype = "U8") {
  std::string header = R"({"weight":{"dtype":")" + dtype + R"(","shape":[4],"data_offsets":[0,4]},)" +
                       R"("bias":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  return length + header + data;
}

class CheckpointComparisonTest : public testing::Test {
 protected:
  CheckpointComparisonTest() {
    std::filesystem::create_directory(folder_ / "a");
    std::filesystem::create_directory(folder_ / "b");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] Expected<ResultComparison> compare() const {
    return compare_checkpoints(folder_ / "a", folder_ / "b");
  }

  TemporaryFolder folder_;
};

TEST_F(CheckpointComparisonTest, TheSameBytesAreEqual) {
  for (const char* name : {"a/model.safetensors", "b/model.safetensors"})
    write(name, make_tensors("12345678"));
  write("a/state.json", "times differ");
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->equal());
  EXPECT_THAT(result->files, ElementsAre("model.safetensors"));
}

TEST_F(CheckpointComparisonTest, NamesTheFirstTensorThatDiffers) {
  write("a/model.safetensors", make_tensors("12345678"));
  write("b/model.safetensors", make_tensors("12345x78"));
  write("a/optimizer.safetensors", make_tensors("12345678"));
  write("b/optimizer.safetensors", make_tensors("1x345x78"));
  const auto result = compare();
  ASSERT_TRUE(result);
  ASSERT_EQ(result->differences.size(), 2u);
  EXPECT_EQ(result->differences[0].tensor, "bias");
  EXPECT_EQ(result->differences[1].tensor, "weight");
  EXPECT_EQ(*result->differences[0].offset, make_tensors("").size() + 5);
  EXPECT_THAT(render_difference(result->differences[0]),
              HasSubstr("model.safetensors: tensor 'bias' differs"));
}

TEST_F(CheckpointComparisonTest, FindsADifferenceBehindTheFirstBlock) {
  const std::string many(3 << 20, 'x');
  write("a/model.safetensors", many + "a");
  write("b/model.safetensors", many + "b");
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->differences.at(0).offset, many.size());
}

TEST_F(CheckpointComparisonTest, AShorterFileDiffersWhereItEnds) {
  write("a/model.safetensors", make_tensors("12345678"));
  write("b/model.safetensors", make_tensors("123456"));
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->differences.at(0).tensor, "bias");
}

TEST_F(CheckpointComparisonTest, AHeaderThatDiffersIsNoTensor) {
  write("a/model.safetensors", make_tensors("12345678", "U8"));
  write("b/model.safetensors", make_tensors("12345678", "I8"));
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->differences.at(0).tensor, "");
  EXPECT_THAT(render_difference(result->differences.at(0)), HasSubstr("the headers differ"));
}

TEST_F(CheckpointComparisonTest, AFileOfOneOnlyIsADifference) {
  write("a/model.safetensors", make_tensors("12345678"));
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(render_difference(result->differences.at(0)),
            "model.safetensors: exists in only one of the two runs");
}

TEST_F(CheckpointComparisonTest, WithoutTensorsThereIsNothingToCompare) {
  EXPECT_FALSE(compare());
}

}  // namespace
}  // namespace ddp::cli
