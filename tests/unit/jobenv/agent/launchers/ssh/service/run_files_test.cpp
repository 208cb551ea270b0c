#include "jobenv/agent/launchers/ssh/service/run_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

/// The folder of a host, with the run "run-1".
class RunFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(run_ / "output/deep"); }
  void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  [[nodiscard]] remote::FilesListed list() const {
    auto listed = *list_files(own_, {"run-1", {"output", "checkpoints"}});
    std::ranges::sort(listed.files, {}, &remote::HostFile::path);
    return listed;
  }

  TemporaryFolder temporary_;
  OwnFolder own_ = *OwnFolder::open(temporary_ / "own");
  fs::path run_ = own_.root() / "runs/run-1";
};

TEST_F(RunFiles, AreRegularFilesAndNotWhatLinksLeadTo) {
  write(run_ / "output/a", "abc");
  write(run_ / "output/deep/b", "");
  write(run_ / "plan.json", "{}");
  fs::create_directory_symlink("/etc", run_ / "output/folder");
  fs::create_symlink("a", run_ / "output/link");
  const auto listed = list();
  ASSERT_EQ(listed.files.size(), 2U);
  EXPECT_EQ(listed.files[0].path, "output/a");
  EXPECT_EQ(listed.files[0].size, 3U);
  EXPECT_EQ(listed.left_out.size(), 2U);
  EXPECT_TRUE(list_files(own_, {"run-2", {"output"}})->files.empty());
  EXPECT_FALSE(list_files(own_, {"run-1", {"../run-2"}}));
  fs::create_directory_symlink("/etc", run_ / "checkpoints");
  EXPECT_EQ(list().left_out.size(), 3U) << "no link is followed, not even at the top";
  EXPECT_FALSE(list_files(own_, {"../runs", {"output"}}));
}

TEST_F(RunFiles, AreSentFromAnOffsetOnInTheStateThatWasListed) {
  write(run_ / "output/a", "abcdef");
  const auto file = list().files.front();
  EXPECT_EQ(read_bytes(own_, {"run-1", file, 2, 3}), "cde");
  EXPECT_EQ(read_bytes(own_, {"run-1", file, 2, 30}), "cdef");
  EXPECT_EQ(read_bytes(own_, {"run-1", file, 7, 3}), "");
  write(run_ / "output/a", "abcdefg");
  EXPECT_EQ(read_bytes(own_, {"run-1", file, 0, 3}), "") << "it has changed";
  fs::remove(run_ / "output/a");
  EXPECT_EQ(read_bytes(own_, {"run-1", file, 0, 3}), "");
}

TEST_F(RunFiles, AreNotSentThroughALink) {
  write(temporary_ / "secret", "secret");
  fs::create_directory_symlink(temporary_.path(), run_ / "output/folder");
  struct stat found {};
  ASSERT_EQ(stat((temporary_ / "secret").c_str(), &found), 0);
  const auto time = static_cast<std::uint64_t>(found.st_mtim.tv_sec) * 1'000'000'000 +
                    static_cast<std::uint64_t>(found.st_mtim.tv_nsec);
  EXPECT_EQ(read_bytes(own_, {"run-1", {"output/folder/secret", 6, time, 0600}, 0, 6}), "");
  EXPECT_FALSE(read_bytes(own_, {"run-1", {"../../../secret", 6, time, 0600}, 0, 6}));
}

TEST_F(RunFiles, GoWithTheirRunAndTheLastRunTakesTheFilesOfTheUser) {
  const auto contents = own_.root() / "content";
  fs::create_directories(own_.root() / "runs/run-2");
  for (const char* name : {"old", "new", "linked"}) write(contents / name, name);
  fs::create_hard_link(contents / "linked", own_.root() / "programs/linked");
  for (const char* name : {"old", "linked"})
    fs::last_write_time(contents / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(remove_run(own_, {"run-1"})->was_there);
  EXPECT_FALSE(fs::exists(run_));
  EXPECT_TRUE(fs::exists(contents / "old"));
  EXPECT_FALSE(remove_run(own_, {"run-1"})->was_there);
  ASSERT_TRUE(remove_run(own_, {"run-2"}));
  EXPECT_FALSE(fs::exists(contents / "old"));
  EXPECT_TRUE(fs::exists(contents / "new"));
  EXPECT_TRUE(fs::exists(contents / "linked"));
  EXPECT_FALSE(remove_run(own_, {".."}));
}

}  // namespace
}  // namespace ddp::agent
