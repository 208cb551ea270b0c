#include "jobenv/record/latest_checkpoint.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

class LatestCheckpointTest : public testing::Test {
 protected:
  LatestCheckpointTest() { make("step-00001200-a1"); }
  void make_empty(const std::string& name) { std::filesystem::create_directories(run.checkpoints() / name); }
  void make(const std::string& name) {
    make_empty(name);
    ASSERT_TRUE(save_file(run.checkpoints() / name / "manifest.json", "{}", Durability::visible));
  }
  void point_to(const std::string& text) {
    ASSERT_TRUE(save_file(run.checkpoints() / "LATEST", text, Durability::visible));
  }

  TemporaryFolder folder;
  RunFolder run{folder.path()};
};

TEST_F(LatestCheckpointTest, HasTheStepOfItsName) {
  const auto latest = find_latest_checkpoint(run);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->step, 1200u);
  EXPECT_EQ(latest->folder, run.checkpoints() / "step-00001200-a1");
  EXPECT_FALSE(latest->parameters);
}

TEST_F(LatestCheckpointTest, HasParametersIfTheyAreThere) {
  const auto file = run.checkpoints() / "step-00001200-a1/model.safetensors";
  ASSERT_TRUE(save_file(file, "x", Durability::visible));
  EXPECT_EQ(find_latest_checkpoint(run)->parameters, file);
}

TEST_F(LatestCheckpointTest, IsShardedIfItsManifestSaysSo) {
  EXPECT_FALSE(find_latest_checkpoint(run)->is_sharded);
  const auto manifest = run.checkpoints() / "step-00001200-a1/manifest.json";
  for (const auto& [text, is_sharded] :
       {std::pair(R"({"format": 2})", true), std::pair(R"({"format": 1})", false), std::pair("[2]", false),
        std::pair("format 2", false)}) {
    ASSERT_TRUE(save_file(manifest, text, Durability::visible));
    EXPECT_EQ(find_latest_checkpoint(run)->is_sharded, is_sharded) << text;
  }
}

TEST_F(LatestCheckpointTest, IsTheNewestThatCanBeLoaded) {
  make("step-00001300-a0");
  make("step-00001220-a1.removed");
  make("step-00001220-a1.incomplete");
  EXPECT_EQ(find_latest_checkpoint(run)->step, 1200u);
  make("step-00001210-a1.replaced");
  EXPECT_EQ(find_latest_checkpoint(run)->folder, run.checkpoints() / "step-00001210-a1.replaced");
}

TEST_F(LatestCheckpointTest, IsNoFolderWithoutAManifest) {
  make_empty("step-00009999-a1");
  EXPECT_EQ(find_latest_checkpoint(run)->step, 1200u);
  std::filesystem::create_directory(run.checkpoints() / "step-00009999-a1" / "manifest.json");
  EXPECT_EQ(find_latest_checkpoint(run)->step, 1200u);
  point_to("step-00009999-a1\n");
  EXPECT_FALSE(find_checkpoint(run.root()));
  EXPECT_FALSE(is_checkpoint(run.checkpoints() / "step-00009999-a1"));
  EXPECT_TRUE(is_checkpoint(run.checkpoints() / "step-00001200-a1"));
}

TEST_F(LatestCheckpointTest, IsCommittedBeforeItIsNamed) {
  point_to("step-00001200-a1\n");
  make("step-00001220-a1");
  EXPECT_EQ(find_latest_checkpoint(run)->step, 1220u);
}

TEST_F(LatestCheckpointTest, IsNotWhereNothingIs) {
  std::filesystem::remove_all(run.checkpoints() / "step-00001200-a1");
  EXPECT_FALSE(find_latest_checkpoint(run));
  point_to("step-00001200-a1\n");
  EXPECT_FALSE(find_latest_checkpoint(run));
  std::filesystem::remove_all(run.checkpoints());
  EXPECT_FALSE(find_latest_checkpoint(run));
}

TEST_F(LatestCheckpointTest, IsNotNamedByWhatIsNoName) {
  for (const auto* text : {"", "\n", "step-", "step-x-a1\n", "step-00000001-a0\n", "../step-00001200-a1\n",
                           "step-00001200-a1/..\n"}) {
    point_to(text);
    EXPECT_FALSE(find_checkpoint(run.root())) << text;
  }
}

TEST_F(LatestCheckpointTest, IsFoundByWhatStandsForIt) {
  EXPECT_EQ(find_checkpoint(run.root()), std::nullopt);
  point_to("step-00001200-a1\n");
  const auto newest = run.checkpoints() / "step-00001200-a1";
  for (const auto& place : {run.root(), run.checkpoints(), run.checkpoints() / "LATEST"})
    EXPECT_EQ(find_checkpoint(place), newest) << place;
  EXPECT_EQ(find_checkpoint(newest), newest);
  std::filesystem::remove(newest / "manifest.json");
  EXPECT_EQ(find_checkpoint(newest), std::nullopt);
}

TEST_F(LatestCheckpointTest, IsNotFoundByWhatNamesNone) {
  point_to("step-00000001-a0\n");
  std::filesystem::create_directory(run.checkpoints() / "BEST");
  ASSERT_TRUE(save_file(run.root() / "plan.json", "{}", Durability::visible));
  for (const auto* place : {"", "checkpoints", "checkpoints/LATEST", "checkpoints/BEST", "plan.json", "no"})
    EXPECT_EQ(find_checkpoint(run.root() / place), std::nullopt) << place;
}

}  // namespace
}  // namespace ddp
