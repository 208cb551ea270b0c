#include "jobenv/record/checkpoint_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

using Kind = CheckpointName::Kind;

TEST(CheckpointNameTest, IsReadAsItIsWritten) {
  for (const auto kind : {Kind::removed, Kind::incomplete, Kind::replaced, Kind::committed}) {
    const CheckpointName name{.attempt = 12, .step = 123456789, .kind = kind};
    EXPECT_EQ(parse_checkpoint_name(render_checkpoint_name(name)), name);
  }
  EXPECT_EQ(render_checkpoint_name({.attempt = 1, .step = 1200}), "step-00001200-a1");
  EXPECT_EQ(render_checkpoint_name({.attempt = 0, .step = 7, .kind = Kind::incomplete}),
            "step-00000007-a0.incomplete");
}

TEST(CheckpointNameTest, IsNoOtherName) {
  for (const auto* text : {"", "step-", "step-x-a1", "step-1200-a1", "step-00001200", "step-00001200-a",
                           "step-00001200-a1 ", "step-00001200-a1.old", "../step-00001200-a1"})
    EXPECT_FALSE(parse_checkpoint_name(text)) << text;
}

TEST(CheckpointNameTest, AreListedFromTheNewest) {
  const TemporaryFolder folder;
  for (const auto* name :
       {"step-00000300-a0", "step-00000200-a1", "step-00000300-a0.replaced", "BEST", "old"})
    std::filesystem::create_directory(folder.path() / name);
  EXPECT_THAT(*list_checkpoints(folder.path()), testing::ElementsAre(CheckpointName{1, 200, Kind::committed},
                                                                     CheckpointName{0, 300, Kind::committed},
                                                                     CheckpointName{0, 300, Kind::replaced}));
}

TEST(CheckpointNameTest, AreNoneWhereNoFolderIs) {
  const TemporaryFolder folder;
  EXPECT_TRUE(list_checkpoints(folder.path() / "no")->empty());
  std::ofstream(folder.path() / "file") << "x";
  const auto refused = list_checkpoints(folder.path() / "file");
  ASSERT_FALSE(refused) << "what cannot be listed is not empty";
  EXPECT_THAT(refused.error().message, testing::HasSubstr("file: Not a directory"));
}

}  // namespace
}  // namespace ddp
