#include "cli/store/spare_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SpareCheckpointsTest : public testing::Test {
 protected:
  void make_checkpoint(const std::string& name) {
    fs::create_directories(folder.checkpoints() / name);
    std::ofstream(folder.checkpoints() / name / "manifest.json") << "{}";
  }
  [[nodiscard]] std::vector<std::string> spare() const {
    std::vector<std::string> names;
    for (const auto& path : find_spare_checkpoints(folder)) names.push_back(path.filename());
    return names;
  }

  TemporaryFolder home;
  RunFolder folder{home / "job-1"};
};

TEST_F(SpareCheckpointsTest, AreAllButTheNewestAndTheBest) {
  for (const auto* name : {"step-00000001-a0", "step-00000002-a0", "step-00000003-a0", "step-00000002-a1",
                           "step-00000009-a1.incomplete", "step-00000001-a1.removed"})
    make_checkpoint(name);
  std::ofstream(folder.checkpoints() / "BEST") << "step-00000002-a0\naccuracy 0.9\n";
  EXPECT_THAT(spare(), UnorderedElementsAre("step-00000001-a0", "step-00000003-a0",
                                            "step-00000009-a1.incomplete", "step-00000001-a1.removed"));
}

TEST_F(SpareCheckpointsTest, WithoutAWholeCheckpointThereAreNone) {
  fs::create_directories(folder.checkpoints() / "step-00000001-a0");
  fs::create_directories(folder.checkpoints() / "step-00000002-a0.incomplete");
  EXPECT_THAT(spare(), IsEmpty());
}

TEST_F(SpareCheckpointsTest, WithABestThatCannotBeReadThereAreNone) {
  make_checkpoint("step-00000001-a0");
  make_checkpoint("step-00000002-a0");
  fs::create_directory(folder.checkpoints() / "BEST");
  EXPECT_THAT(spare(), IsEmpty());
}

TEST_F(SpareCheckpointsTest, WhatStandsInForOneThatIsMissingStays) {
  make_checkpoint("step-00000001-a0.replaced");
  make_checkpoint("step-00000002-a0");
  EXPECT_THAT(spare(), IsEmpty());
  make_checkpoint("step-00000001-a0");
  EXPECT_THAT(spare(), UnorderedElementsAre("step-00000001-a0", "step-00000001-a0.replaced"));
}

TEST_F(SpareCheckpointsTest, AFolderBehindALinkIsNotLookedAt) {
  make_checkpoint("step-00000001-a0");
  make_checkpoint("step-00000002-a0");
  fs::rename(folder.checkpoints(), home / "elsewhere");
  fs::create_directory_symlink(home / "elsewhere", folder.checkpoints());
  EXPECT_THAT(spare(), IsEmpty());
}

TEST_F(SpareCheckpointsTest, AreDeletedOneByOne) {
  make_checkpoint("step-00000001-a0");
  make_checkpoint("step-00000001-a0.removed");
  ASSERT_TRUE(remove_checkpoint(folder.checkpoints() / "step-00000001-a0"));
  EXPECT_TRUE(fs::is_empty(folder.checkpoints()));
  EXPECT_FALSE(remove_checkpoint(folder.checkpoints() / "LATEST"));
}

}  // namespace
}  // namespace ddp::cli
