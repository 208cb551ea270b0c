#include "cli/launchers/ssh/connection/push_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "cli/system/command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class PushScript : public testing::Test {
 protected:
  /// What a POSIX shell makes of the script, and behind it what is sent when it asks for the agent, as one
  /// text: sh has read it all.
  CommandResult execute(const std::string& bytes) {
    std::ofstream(temporary_ / "bytes") << bytes;
    std::ofstream(temporary_ / "script") << render_push_script({home_, sha256_, agent_.size()}, "mark");
    RealCommandRunner runner;
    EnvMap environment;
    environment.set("PATH", "/usr/bin:/bin");
    const std::string line =
        shell_ + " " + (temporary_ / "script").string() + " <" + (temporary_ / "bytes").string();
    return runner.run({.argv = {"sh", "-c", line}, .environment = environment}).value();
  }
  void expect_refused(const std::string& why) {
    const auto result = execute(agent_);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.out, StartsWith("\nmark {\"schema\":\"refused\",\"why\":\""));
    EXPECT_THAT(result.out, HasSubstr(why));
  }
  [[nodiscard]] fs::path program() const { return fs::path(home_) / "programs" / sha256_ / "ddp-agent"; }

  TemporaryFolder temporary_;
  std::string shell_ = "sh";
  std::string home_ = temporary_ / "home";
  const std::string agent_ = "#!/bin/sh\necho \"$@\"\n";
  const std::string sha256_ =
      "890e78a3219326ef5ed1d7db8f688ba58ba53159f84942a1ba98375bf163eadb";  // of agent_
  const std::string wanted_ = "\nmark {\"schema\":\"agent_wanted\"}\n";
  const std::string became_ = "remote --marker mark --folder " + home_ + "\n";
};

TEST_F(PushScript, AsksForTheAgentOnce) {
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);
  EXPECT_EQ(execute("").out, became_);
}

TEST_F(PushScript, MakesFoldersForThisUserAlone) {
  ASSERT_EQ(execute(agent_).code, 0);
  for (const auto& path : {fs::path(home_), program().parent_path(), program()}) {
    struct stat found {};
    ASSERT_EQ(lstat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0700U) << path;
  }
}

TEST_F(PushScript, DoesNotKeepPartOfTheAgentOrOtherBytes) {
  const std::string other(agent_.size(), 'x');
  for (const auto& bytes : {agent_.substr(1), other}) {
    const auto result = execute(bytes);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.out, StartsWith(wanted_ + "\nmark {\"schema\":\"refused\""));
  }
}

TEST_F(PushScript, AsksAgainForAnAgentThatIsNotWhatItWas) {
  ASSERT_EQ(execute(agent_).code, 0);
  std::ofstream(program()) << "#!/bin/sh\necho \"another\"\n";
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);
  fs::permissions(program(), fs::perms::all);
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);
}

TEST_F(PushScript, TightensItsOwnFoldersAndCopiesAnew) {
  ASSERT_EQ(execute(agent_).code, 0);
  fs::permissions(home_, fs::perms::all);
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);  // somebody may have the old file open
  EXPECT_EQ(fs::status(home_).permissions(), fs::perms(0755));
}

TEST_F(PushScript, FollowsAnOwnLinkAndJudgesItsTarget) {
  fs::create_directories(temporary_ / "target/deep");
  fs::create_symlink("target/deep", temporary_ / "link");
  home_ = temporary_ / "link/../home";
  EXPECT_EQ(execute(agent_).out,
            wanted_ + "remote --marker mark --folder " + (temporary_ / "target/home").string() + "\n");
  fs::permissions(temporary_ / "target", fs::perms::all);
  expect_refused("every user can write to '" + (temporary_ / "target").string() + "'");
}

TEST_F(PushScript, RefusesFoldersThatOthersCanWriteTo) {
  fs::create_directory(temporary_ / "open");
  fs::permissions(temporary_ / "open", fs::perms::all);
  home_ = temporary_ / "open/home";
  expect_refused("every user can write to '" + (temporary_ / "open").string() + "'");
  EXPECT_TRUE(fs::is_empty(temporary_ / "open"));
}

TEST_F(PushScript, RefusesLinksWithinTheFolder) {
  fs::create_directories(temporary_ / "elsewhere");
  fs::create_directory(home_);
  fs::create_symlink(temporary_ / "elsewhere", fs::path(home_) / "programs");
  expect_refused("programs' is a link");
}

TEST_F(PushScript, NamesAFolderThatCannotBeMade) {
  std::ofstream(temporary_ / "file") << "x";
  home_ = temporary_ / "file/home";
  expect_refused("'" + (temporary_ / "file").string() + "': Not a directory");
}

TEST_F(PushScript, TakesNamesAsTheyAre) {
  home_ = temporary_ / "a b\"$(x)'";
  EXPECT_EQ(execute(agent_).out, wanted_ + "remote --marker mark --folder " + home_ + "\n");
}

TEST_F(PushScript, HashesAgainWhereTheRecordOfItsStateIsAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  ASSERT_EQ(execute(agent_).code, 0);
  const auto state = program().string() + ".state";
  std::ofstream(program()) << "#!/bin/sh\necho \"another\"\n";
  const std::string line = "LC_ALL=C stat -c '%u %A %s %y %i' " + program().string() + " >" + state;
  ASSERT_EQ(std::system(line.c_str()), 0);
  ASSERT_EQ(chown(state.c_str(), 12345, 12345), 0);
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);
}

TEST_F(PushScript, RefusesWhereTheShellCannotReadItsList) {
  // Before bash 5.1 a here-document was a temporary file.
  shell_ = "BASH_COMPAT=5.0 TMPDIR=/proc bash --posix";
  expect_refused("cannot look at the folders");
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(PushScript, NeedsNoGetent) {
  fs::create_directory(temporary_ / "bin");
  for (const auto* tool : {"id", "ls", "stat", "tr", "mkdir", "chmod", "head", "mv", "rm", "sha256sum", "cat",
                           "grep", "readlink", "sh"})
    fs::create_symlink(std::string("/usr/bin/") + tool, temporary_ / "bin" / tool);
  shell_ = "PATH=" + (temporary_ / "bin").string() + " sh";
  fs::create_directory(temporary_ / "group");
  fs::permissions(temporary_ / "group", fs::perms(0775));
  home_ = temporary_ / "group/home";
  const auto result = execute(agent_);
  // root's group has no other members; that of another user may have.
  if (geteuid() == 0) {
    EXPECT_EQ(result.out, wanted_ + "remote --marker mark --folder " + home_ + "\n") << result.err;
  }
}

TEST_F(PushScript, RefusesWhatAnotherUserHasMade) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  ASSERT_EQ(execute(agent_).code, 0);
  for (fs::path path = program().parent_path(); path != temporary_.path(); path = path.parent_path()) {
    ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
    expect_refused("'" + path.string() + "' belongs to uid 12345");
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  ASSERT_EQ(chown(program().c_str(), 12345, 12345), 0);
  EXPECT_EQ(execute(agent_).out, wanted_ + became_);
}

TEST_F(PushScript, RefusesALinkOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  fs::create_directory(temporary_ / "mine");
  fs::create_symlink(temporary_ / "mine", home_);
  ASSERT_EQ(lchown(home_.c_str(), 12345, 12345), 0);
  expect_refused("belongs to uid 12345");
}

}  // namespace
}  // namespace ddp::cli
