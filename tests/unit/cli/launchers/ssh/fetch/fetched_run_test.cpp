#include "cli/launchers/ssh/fetch/fetched_run.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/told_host.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

remote::HostFile file(const std::string& path, std::uint64_t size) {
  return {path, size, 1'700'000'000'000'000'001, 0640};
}

/// A run folder here, and what its host says that it has there.
class FetchedRun : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_.root()); }
  Expected<Fetched> fetch(const std::vector<remote::HostFile>& files) {
    host_.answers.push_back(remote::FilesListed{files, {}});
    for (const auto& one : files) host_.files[one.path] = std::string(one.size, 'x');
    return fetch_run({{"node1", &host_}}, folder_, progress_);
  }

  TemporaryFolder temporary_;
  RunFolder folder_{temporary_ / "runs/run-1"};
  ToldHost host_;
  FakeClock clock_;
  CopyProgress progress_{clock_, [](const std::string&) {}};
};

TEST_F(FetchedRun, HasTheNewestCheckpointAndTheOutput) {
  const std::string manifest = R"({"files": {"x": {"size": 4}}})";
  for (const auto& [path, text] :
       std::map<std::string, std::string>{{"checkpoints/step-00000004-a0/manifest.json", manifest},
                                          {"checkpoints/step-00000004-a0/x", "xxxx"},
                                          {"output/deep/y", "xxxxxx"}})
    host_.files[path] = text;
  host_.answers.push_back(remote::FilesListed{
      {file("checkpoints/step-00000002-a0/manifest.json", 1), file("checkpoints/step-00000002-a0/x", 2),
       file("checkpoints/step-00000004-a0/manifest.json", manifest.size()),
       file("checkpoints/step-00000004-a0/x", 4),
       file("checkpoints/step-00000009-a0.incomplete/manifest.json", 5), file("output/deep/y", 6)},
      {}});
  const auto fetched = fetch_run({{"node1", &host_}}, folder_, progress_);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->checkpoint, folder_.checkpoints() / "step-00000004-a0");
  EXPECT_EQ(fetched->files, 3U);
  EXPECT_EQ(fetched->bytes, manifest.size() + 10);
  EXPECT_EQ(load_file(folder_.output() / "deep/y"), "xxxxxx");
  EXPECT_EQ(fs::status(folder_.output() / "deep/y").permissions(), fs::perms(0640));
  EXPECT_FALSE(fs::exists(folder_.checkpoints() / "step-00000002-a0"));
  EXPECT_EQ(fetch({file("output/deep/y", 6)})->bytes, 0U);
}

TEST_F(FetchedRun, HasNothingThatAHostWantsElsewhere) {
  const auto fetched = fetch({file("output/../plan.json", 1), file("output/../../../escaped", 1),
                              file("plan.json", 1), file("ledger/head-0.jsonl", 1), file("/etc/escaped", 1),
                              file("output/a\nb", 1), file("output/no\xef\xbf\xbdutf", 1)});
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->files, 0U);
  EXPECT_EQ(fetched->left_out.size(), 4U);
  EXPECT_FALSE(fs::exists(temporary_ / "escaped"));
  EXPECT_FALSE(fs::exists(folder_.plan()));
}

TEST_F(FetchedRun, IsNotWrittenThroughALink) {
  fs::create_directories(temporary_ / "elsewhere");
  fs::create_symlink(temporary_ / "elsewhere", folder_.output());
  EXPECT_FALSE(fetch({file("output/x", 3)}));
  EXPECT_TRUE(fs::is_empty(temporary_ / "elsewhere"));
}

TEST_F(FetchedRun, GoesOnFromThePartOfACopyThatBrokeOffUnlessTheFileHasChanged) {
  const auto whole = file("output/x", 10);
  const auto part = folder_.root() / ".fetch/10-1700000000000000001/output/x";
  fs::create_directories(part.parent_path());
  std::ofstream(part) << "part";
  EXPECT_EQ(fetch({whole})->bytes, 6U);
  EXPECT_EQ(load_file(folder_.output() / "x"), "partxxxxxx");
  EXPECT_FALSE(fs::exists(folder_.root() / ".fetch"));
  fs::create_directories(part.parent_path());
  std::ofstream(part) << "part";
  EXPECT_EQ(fetch({{"output/x", 10, 1'800'000'000'000'000'000, 0600}})->bytes, 10U);
}

TEST_F(FetchedRun, IsNotBegunWhereThereIsNoRoom) {
  const auto fetched = fetch({file("output/x", 1)});
  ASSERT_TRUE(fetched);
  host_.answers.push_back(remote::FilesListed{{file("output/huge", std::uint64_t{1} << 46)}, {}});
  const auto refused = fetch_run({{"node1", &host_}}, folder_, progress_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("has too little room: 64.0 TiB are needed"), std::string::npos)
      << refused.error().message;
}

TEST_F(FetchedRun, LeavesOutWhatChangesMeanwhileAndWhatIsTooLarge) {
  host_.answers.push_back(remote::FilesListed{
      {file("output/a", 3), file("output/b", 3), file("output/c", std::uint64_t{1} << 63)}, {}});
  host_.files = {{"output/a", ""}, {"output/b", "xxx"}};
  const auto fetched = fetch_run({{"node1", &host_}}, folder_, progress_);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->left_out, (std::vector<std::string>{"'output/c' on node1 is too large",
                                                         "'output/a' on node1 changed while it was copied"}));
  EXPECT_EQ(load_file(folder_.output() / "b"), "xxx");
  EXPECT_FALSE(fs::exists(folder_.output() / "a"));
}

TEST_F(FetchedRun, IsNotLargerThanItWasAnnounced) {
  host_.answers.push_back(remote::FilesListed{{file("output/a", 3)}, {}});
  host_.files = {{"output/a", "much more"}};
  ASSERT_TRUE(fetch_run({{"node1", &host_}}, folder_, progress_));
  EXPECT_EQ(load_file(folder_.output() / "a"), "muc");
}

TEST_F(FetchedRun, LeavesNoPartsOfOlderStates) {
  const auto old = folder_.root() / ".fetch/9-1/output/x";
  fs::create_directories(old.parent_path());
  std::ofstream(old) << "part";
  host_.answers.push_back(remote::FilesListed{{file("output/x", 10)}, {}});
  EXPECT_FALSE(fetch_run({{"node1", &host_}}, folder_, progress_)) << "the connection breaks";
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(FetchedRun, KeepsTheTwoNewestCheckpointsThatAreWhole) {
  for (const char* step : {"1", "2", "3", "4"}) {
    const auto checkpoint = folder_.checkpoints() / (std::string("step-0000000") + step + "-a0");
    fs::create_directories(checkpoint);
    std::ofstream(checkpoint / "manifest.json") << R"({"files": {"x": {"size": 2}}})";
    if (*step != '4') std::ofstream(checkpoint / "x") << "xx";
  }
  drop_old_checkpoints(folder_);
  EXPECT_FALSE(fs::exists(folder_.checkpoints() / "step-00000001-a0"));
  for (const char* step : {"2", "3", "4"})
    EXPECT_TRUE(fs::exists(folder_.checkpoints() / (std::string("step-0000000") + step + "-a0"))) << step;
}

}  // namespace
}  // namespace ddp::cli
