#include "cli/rehearsal/output_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OutputComparisonTest : public testing::Test {
 protected:
  void write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] Expected<ResultComparison> compare() const {
    return compare_outputs(folder_ / "a", folder_ / "b");
  }

  TemporaryFolder folder_;
};

TEST_F(OutputComparisonTest, ComparesAllFilesBelow) {
  for (const char* name : {"a", "b"}) {
    write(std::filesystem::path(name) / "model.pt", "12345678");
    write(std::filesystem::path(name) / "logs/rank/0", "");
  }
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->equal());
  EXPECT_THAT(result->files, ElementsAre("logs/rank/0", "model.pt"));
}

TEST_F(OutputComparisonTest, NamesTheFileAndTheByte) {
  write("a/x/model.pt", "12345678");
  write("b/x/model.pt", "1234567x");
  const auto result = compare();
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->equal());
  EXPECT_EQ(render_difference(result->differences.at(0)), "x/model.pt: first difference at byte 7");
}

TEST_F(OutputComparisonTest, AFileThatTheDisturbedRunLacksIsADifference) {
  write("a/model.pt", "1");
  write("a/last.pt", "1");
  write("b/model.pt", "1");
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_EQ(render_difference(result->differences.at(0)), "last.pt: exists in only one of the two runs");
}

TEST_F(OutputComparisonTest, ADisturbedRunThatLeavesNothingOrAFolderDiffers) {
  write("a/model.pt", "1");
  const auto nothing = compare();
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->equal());
  write("b/model.pt/part", "1");
  const auto folder = compare();
  ASSERT_TRUE(folder);
  EXPECT_EQ(render_difference(folder->differences.at(0)), "model.pt: exists in only one of the two runs");
}

TEST_F(OutputComparisonTest, AFileThatTheDisturbedRunHasInAdditionIsNone) {
  write("a/model.pt", "1");
  write("b/model.pt", "1");
  write("b/step-44.pt", "1");
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->equal());
  EXPECT_THAT(result->files, ElementsAre("model.pt"));
  EXPECT_THAT(result->extra, ElementsAre("step-44.pt"));
}

TEST_F(OutputComparisonTest, LeavesLinksOut) {
  for (const char* name : {"a", "b"}) {
    write(std::filesystem::path(name) / "model.pt", "1");
    std::filesystem::create_symlink(name, folder_ / name / "newest");
  }
  const auto result = compare();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->files, ElementsAre("model.pt"));
}

TEST_F(OutputComparisonTest, WithoutFilesThereIsNothingToCompare) {
  std::filesystem::create_directory(folder_ / "a");
  const auto result = compare();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().hint, HasSubstr("DDPSUBMIT_OUTPUT_DIR"));
}

}  // namespace
}  // namespace ddp::cli
