#include "cli/commands/output_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

TEST(OutputFile, MayBeNewOrARegularFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(check_output_file(folder / "new"));
  std::ofstream(folder / "old") << "text";
  EXPECT_TRUE(check_output_file(folder / "old"));
  std::filesystem::create_symlink(folder / "old", folder / "link");
  EXPECT_TRUE(check_output_file(folder / "link"));
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  EXPECT_TRUE(check_output_file(folder / "dangling"));
}

TEST(OutputFile, IsNeitherADeviceNorAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/null", folder / "link");
  for (const auto& file : {std::filesystem::path("/dev/null"), folder / "link", folder / "."}) {
    const auto checked = check_output_file(file);
    ASSERT_FALSE(checked) << file;
    EXPECT_EQ(checked.error().code, ExitCode::usage);
    EXPECT_EQ(checked.error().message, "'" + file.string() + "' is not a regular file");
    EXPECT_EQ(checked.error().hint, "give -o the name of a file");
  }
}

}  // namespace
}  // namespace ddp::cli
