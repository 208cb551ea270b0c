#include "jobenv/agent/head/log_link.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

class LogLink : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(LogLink, IsMadeWithTheFoldersAboveIt) {
  const auto link = folder_.path() / "a" / "b" / "slurm-7.out";
  ASSERT_TRUE(save_link(link, "/runs/x/rank-0.out"));
  EXPECT_EQ(fs::read_symlink(link), "/runs/x/rank-0.out");
}

TEST_F(LogLink, TakesThePlaceOfAnEarlierOne) {
  const auto link = folder_.path() / "newest.out";
  ASSERT_TRUE(save_link(link, "/runs/x/attempt-0"));
  ASSERT_TRUE(save_link(link, "/runs/x/attempt-1"));
  EXPECT_EQ(fs::read_symlink(link), "/runs/x/attempt-1");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(LogLink, TakesThePlaceOfNothingElse) {
  const auto file = folder_.path() / "mine.txt";
  std::ofstream(file) << "precious";
  const auto linked = save_link(file, "/runs/x/rank-0.out");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().message,
            "no link to the log of rank 0 at " + file.string() + ": there is a file of that name");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_FALSE(save_link(file / "below.out", "/runs/x/rank-0.out"));
}

}  // namespace
}  // namespace ddp::agent
