#include "jobenv/agent/launchers/ssh/service/own_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777U;
}

class HostsOwnFolder : public testing::Test {
 protected:
  [[nodiscard]] OwnFolder open() const { return OwnFolder::open(path("")).value(); }
  [[nodiscard]] fs::path path(const std::string& name) const { return temporary_ / ("own/" + name); }
  [[nodiscard]] std::string refusal() const {
    const auto folder = OwnFolder::open(path(""));
    return folder ? "" : folder.error().message;
  }

  TemporaryFolder temporary_;
};

TEST_F(HostsOwnFolder, HasAnIdThatNoOtherHas) {
  const std::string id = open().id();
  EXPECT_GE(id.size(), 16U);
  EXPECT_EQ(open().id(), id);
  EXPECT_NE(OwnFolder::open(temporary_ / "other")->id(), id);
  EXPECT_EQ(OwnFolder::open("")->id(), "");
}

TEST_F(HostsOwnFolder, IsMadeForThisUserAlone) {
  (void)open();
  for (const auto* name : {"", "content", "programs", "runs"}) EXPECT_EQ(mode_of(path(name)), 0700U) << name;
}

TEST_F(HostsOwnFolder, ThatIsTooOpenIsTightened) {
  (void)open();
  for (const auto* name : {"", "content", "programs", "runs"}) fs::permissions(path(name), fs::perms::all);
  (void)open();
  for (const auto* name : {"", "content", "programs", "runs"}) EXPECT_EQ(mode_of(path(name)), 0755U) << name;
}

TEST_F(HostsOwnFolder, FilesOfProgramsThatOthersMayHaveOpenAreDropped) {
  (void)open();
  for (const auto* name : {"", "content"}) {
    ASSERT_TRUE(save_file(path("content/file"), "x", Durability::visible));
    (void)open();
    EXPECT_TRUE(fs::exists(path("content/file")));
    fs::permissions(path(name), fs::perms::all);
    (void)open();
    EXPECT_FALSE(fs::exists(path("content/file"))) << name;
  }
}

TEST_F(HostsOwnFolder, LinksInItAreNotFollowed) {
  (void)open();
  fs::create_directory(temporary_ / "elsewhere");
  for (const auto* name : {"content", "programs", "runs"}) {
    fs::remove(path(name));
    fs::create_directory_symlink(temporary_ / "elsewhere", path(name));
    EXPECT_NE(refusal().find(std::string(name) + "' is a link"), std::string::npos) << refusal();
    fs::remove(path(name));
  }
}

TEST_F(HostsOwnFolder, ThatAnotherUserHasMadeIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  for (const auto* name : {"", "programs", "content", "runs"}) {
    (void)open();
    ASSERT_EQ(chown(path(name).c_str(), 12345, 12345), 0);
    EXPECT_NE(refusal().find("belongs to uid 12345"), std::string::npos) << name << ": " << refusal();
    ASSERT_EQ(chown(path(name).c_str(), 0, 0), 0);
  }
}

TEST_F(HostsOwnFolder, NamesDoNotLeaveIt) {
  EXPECT_FALSE(open().write({"../run", {}, {}}));
  EXPECT_FALSE(open().write({"run", {{"../plan.json", ""}}, {}}));
}

TEST_F(HostsOwnFolder, HoldsRunsForTheUserAlone) {
  const auto run = open().write({"run-1", {{"plan.json", "{}"}, {"secrets.json", "s"}}, {}});
  ASSERT_TRUE(run);
  EXPECT_EQ(*run, path("runs/run-1"));
  EXPECT_EQ(mode_of(*run / "secrets.json"), 0600U);
  EXPECT_EQ(mode_of(*run), 0700U);
  fs::permissions(*run, fs::perms::all);
  ASSERT_TRUE(open().write({"run-1", {}, {}}));
  EXPECT_EQ(mode_of(*run), 0700U);
}

TEST_F(HostsOwnFolder, ARunFolderOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  const auto folder = open();
  fs::create_directory(path("runs/run-1"));
  ASSERT_EQ(chown(path("runs/run-1").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(folder.write({"run-1", {{"plan.json", "{}"}}, {}}));
  EXPECT_FALSE(fs::exists(path("runs/run-1/plan.json")));
}

TEST_F(HostsOwnFolder, ALinkInPlaceOfARunFolderIsNotFollowed) {
  const auto folder = open();
  fs::create_directory(temporary_ / "elsewhere");
  fs::create_directory_symlink(temporary_ / "elsewhere", path("runs/run-1"));
  EXPECT_FALSE(folder.write({"run-1", {{"secrets.json", "s"}}, {}}));
  EXPECT_TRUE(fs::is_empty(temporary_ / "elsewhere"));
}

TEST_F(HostsOwnFolder, HistoryDoesNotReplaceWhatTheHostKnowsItself) {
  const auto folder = open();
  ASSERT_TRUE(folder.write({"run-1", {{"plan.json", "old"}}, {{"ledger/head-0.jsonl", "all of it"}}}));
  const auto run = folder.write(
      {"run-1", {{"plan.json", "new"}}, {{"ledger/head-0.jsonl", "part"}, {"attempts/1/claim.json", "1"}}});
  ASSERT_TRUE(run);
  EXPECT_EQ(load_file(*run / "plan.json"), "new");
  EXPECT_EQ(load_file(*run / "ledger/head-0.jsonl"), "all of it");
  EXPECT_EQ(load_file(*run / "attempts/1/claim.json"), "1");
}

}  // namespace
}  // namespace ddp::agent
