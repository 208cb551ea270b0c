#include "cli/checkpoint/find_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;
using testing::ElementsAre;
using testing::IsEmpty;

class FindCheckpointsTest : public testing::Test {
 protected:
  path add(const std::string& name, const std::string& file = "manifest.json") {
    std::filesystem::create_directories(checkpoints_ / name);
    std::ofstream(checkpoints_ / name / file) << "{}";
    return checkpoints_ / name;
  }

  TemporaryFolder run_;
  path checkpoints_ = run_ / "checkpoints";
};

TEST_F(FindCheckpointsTest, WhatNamesTheNewest) {
  const auto older = add("step-00000010-a0"), newer = add("step-00000020-a0");
  std::ofstream(checkpoints_ / "BEST") << "step-00000010-a0\naccuracy 1\n";
  EXPECT_THAT(find_checkpoints(run_.path(), WantedCheckpoints::newest), ElementsAre(newer))
      << "LATEST is not there yet";
  EXPECT_THAT(find_checkpoints(checkpoints_ / "BEST", WantedCheckpoints::newest), ElementsAre(older));
  EXPECT_THAT(find_checkpoints(older, WantedCheckpoints::newest), ElementsAre(older));
}

TEST_F(FindCheckpointsTest, AllOfARunTheNewestFirst) {
  const auto older = add("step-00000010-a0"), damaged = add("step-00000020-a0", "model.safetensors");
  add("step-00000030-a0.incomplete");
  std::filesystem::create_directories(checkpoints_ / "step-00000040-a0");
  for (const auto& place : {run_.path(), checkpoints_})
    EXPECT_THAT(find_checkpoints(place, WantedCheckpoints::all), ElementsAre(damaged, older));
  EXPECT_THAT(find_checkpoints(older, WantedCheckpoints::all), ElementsAre(older));
}

TEST_F(FindCheckpointsTest, OneWithoutItsManifestByItsName) {
  const auto damaged = add("step-00000020-a0", "model.safetensors");
  EXPECT_THAT(find_checkpoints(damaged, WantedCheckpoints::newest), ElementsAre(damaged));
  EXPECT_THAT(find_checkpoints(run_.path(), WantedCheckpoints::newest), IsEmpty());
  EXPECT_THAT(find_checkpoints(run_ / "nothing", WantedCheckpoints::all), IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
