#include "jobenv/record/files/trusted_path.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

namespace fs = std::filesystem;

class Trusted : public testing::Test {
 protected:
  [[nodiscard]] fs::path make(const std::string& name, mode_t mode = 0755) const {
    fs::create_directories(temporary_ / name);
    EXPECT_EQ(chmod((temporary_ / name).c_str(), mode), 0);
    return temporary_ / name;
  }
  static void give_to_stranger(const fs::path& path) { ASSERT_EQ(lchown(path.c_str(), 12345, 12345), 0); }
  static mode_t mode_of(const fs::path& path) {
    struct stat found {};
    EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777U;
  }
  /// Why the folder is not used as one's own, or it is empty.
  static std::string refusal(const fs::path& path) {
    const auto made = make_own_folder(path);
    if (made) return {};
    EXPECT_EQ(made.error().code, ExitCode::preflight_failed);
    return made.error().message;
  }
  static void expect_refused(const fs::path& path, const std::string& why) {
    EXPECT_NE(refusal(path).find(why), std::string::npos) << refusal(path);
  }

  TemporaryFolder temporary_;
};

/// Only root can make files of another user.
class OfAnotherUser : public Trusted {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  }
};

TEST_F(Trusted, WhatIsMissingIsMadeForThisUserAlone) {
  EXPECT_EQ(make_own_folder(temporary_ / "a/b")->path, temporary_ / "a/b");
  EXPECT_EQ(mode_of(temporary_ / "a"), 0700U);
  EXPECT_EQ(mode_of(temporary_ / "a/b"), 0700U);
}

TEST_F(Trusted, AnOwnFolderThatIsTooOpenIsTightened) {
  EXPECT_TRUE(make_own_folder(make("open", 02777))->was_open);
  EXPECT_FALSE(make_own_folder(temporary_ / "open")->was_open);
  EXPECT_EQ(mode_of(temporary_ / "open"), 02755U);
  EXPECT_TRUE(make_own_folder(make("private", 0755), 0700));
  EXPECT_EQ(mode_of(temporary_ / "private"), 0700U);
}

TEST_F(Trusted, AFolderAboveThatOthersCanWriteToIsRefused) {
  (void)make("above/own");
  (void)make("above", 0777);
  expect_refused(temporary_ / "above/own",
                 "every user can write to '" + (temporary_ / "above").string() + "'");
  (void)make("above", 0775);
  if (geteuid() == 0) {
    ASSERT_EQ(chown((temporary_ / "above").c_str(), 0, 12345), 0);
    expect_refused(temporary_ / "above/own", "the group gid 12345 can write to '");
  }
  (void)make("above", 01777);
  EXPECT_EQ(refusal(temporary_ / "above/own"), "");
}

TEST_F(Trusted, NothingIsMadeInAFolderThatIsRefused) {
  const auto open = make("open", 0777);
  expect_refused(open / "a/b", "every user can write");
  EXPECT_TRUE(fs::is_empty(open));
}

TEST_F(Trusted, AFileIsNoFolder) {
  std::ofstream(temporary_ / "file") << "x";
  expect_refused(temporary_ / "file", "Not a directory");
  expect_refused(temporary_ / "file/below", "Not a directory");
}

TEST_F(Trusted, AnOwnLinkIsResolvedAndItsTargetJudged) {
  (void)make("target");
  (void)make("links");
  fs::create_symlink("../target/deep", temporary_ / "links/relative");
  fs::create_symlink(temporary_ / "links/relative", temporary_ / "links/absolute");
  EXPECT_EQ(make_own_folder(temporary_ / "links/absolute/x")->path, temporary_ / "target/deep/x");
  (void)make("target", 0777);
  expect_refused(temporary_ / "links/absolute/x",
                 "every user can write to '" + (temporary_ / "target").string());
}

TEST_F(Trusted, LinksThatGoInACircleEnd) {
  fs::create_symlink("two", temporary_ / "one");
  fs::create_symlink("one", temporary_ / "two");
  expect_refused(temporary_ / "one", "Too many levels of symbolic links");
}

TEST_F(Trusted, TheFolderAboveOneIsItsParentAlsoBehindALink) {
  (void)make("a/b");
  fs::create_symlink(temporary_ / "a/b", temporary_ / "link");
  EXPECT_EQ(make_own_folder(temporary_ / "link/../c")->path, temporary_ / "a/c");
}

TEST_F(OfAnotherUser, AFolderIsNotUsedAndNothingIsMadeInIt) {
  give_to_stranger(make("his"));
  expect_refused(temporary_ / "his", "belongs to uid 12345");
  expect_refused(temporary_ / "his/mine", "belongs to uid 12345");
  EXPECT_TRUE(fs::is_empty(temporary_ / "his"));
  EXPECT_EQ(mode_of(temporary_ / "his"), 0755U);
}

TEST_F(OfAnotherUser, ALinkIsNotFollowed) {
  (void)make("mine");
  fs::create_symlink(temporary_ / "mine", temporary_ / "his");
  give_to_stranger(temporary_ / "his");
  expect_refused(temporary_ / "his", "belongs to uid 12345");
}

TEST_F(OfAnotherUser, ASharedFolderIsUsedAndNoted) {
  const auto project = make("project", 02770);
  ASSERT_EQ(chown(project.c_str(), 12345, 12345), 0);
  const auto followed = follow_path(project / "runs", Way::shared);
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->path, project);
  EXPECT_EQ(followed->note,
            "the group gid 12345 can write to '" + project.string() + "', and could put other files there");
}

TEST_F(OfAnotherUser, ALinkIsNotOnesOwnFolderInASharedOneEither) {
  (void)make("mine");
  fs::create_symlink(temporary_ / "mine", temporary_ / "his");
  give_to_stranger(temporary_ / "his");
  EXPECT_FALSE(make_own_folder(temporary_ / "his", 0700, Way::shared));
}

TEST_F(Trusted, ASharedFolderThatEveryUserCanWriteToIsRefusedUnlessItIsSticky) {
  const auto shared = make("shared", 0777);
  for (const auto& followed : {follow_path(shared, Way::shared), follow_path(shared / "x", Way::shared),
                               make_shared_folder(shared / "x")}) {
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error().code, ExitCode::preflight_failed);
    EXPECT_NE(followed.error().hint.find("(chmod o-w '" + shared.string()), std::string::npos);
  }
  (void)make("shared", 01777);
  EXPECT_EQ(make_shared_folder(shared / "x")->path, shared / "x");
}

TEST_F(Trusted, AProgramThatEveryUserCanWriteToIsRefused) {
  std::ofstream(temporary_ / "program") << "x";
  EXPECT_EQ(follow_path(temporary_ / "program", Way::shared)->path, temporary_ / "program");
  ASSERT_EQ(chmod((temporary_ / "program").c_str(), 01777), 0);
  EXPECT_FALSE(follow_path(temporary_ / "program", Way::shared));
}

}  // namespace
}  // namespace ddp
