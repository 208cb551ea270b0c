#include "jobenv/agent/launchers/ssh/service/program_store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "jobenv/agent/launchers/ssh/service/own_folder.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

// printf abc | sha256sum
const std::string kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
// printf bytes | sha256sum
const std::string kBytes = "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9";

class Programs : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(OwnFolder::open(path(""))); }
  [[nodiscard]] fs::path path(const std::string& name) const { return temporary_ / ("own/" + name); }
  void keep(const std::string& sha256, const std::string& bytes) {
    std::istringstream source(bytes + "{\"schema\":\"next\"}\n");
    ASSERT_TRUE(store_.keep({sha256, bytes.size()}, source));
    std::string next;
    std::getline(source, next);
    EXPECT_EQ(next, "{\"schema\":\"next\"}");
  }
  void keep_all() {
    keep(kAbc, "abc");
    keep(kBytes, "bytes");
  }
  using Hashes = std::vector<std::string>;
  [[nodiscard]] static Hashes hashes_of(const remote::FilesReady& ready) {
    Hashes hashes;
    for (const auto& content : ready.missing) hashes.push_back(content.sha256);
    return hashes;
  }
  [[nodiscard]] Hashes missing() const { return hashes_of(*store_.ready(wanted_)); }

  TemporaryFolder temporary_;
  ProgramStore store_{temporary_ / "own"};
  const remote::ReadyPrograms wanted_{{{"ddptrain", kAbc, 3}, {"lib/libx.so", kBytes, 5}}};
};

TEST_F(Programs, SayWhichOfTheirFilesAreMissing) {
  keep(kAbc, "abc");
  EXPECT_EQ(missing(), Hashes{kBytes});
  EXPECT_EQ(store_.ready(wanted_)->folder, "");
}

TEST_F(Programs, AreFoldersOfLinksToContents) {
  keep_all();
  const auto ready = store_.ready(wanted_);
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->missing.empty());
  EXPECT_EQ(load_file(fs::path(ready->folder) / "lib/libx.so"), "bytes");
  EXPECT_EQ(fs::hard_link_count(fs::path(ready->folder) / "ddptrain"), 2U);
  EXPECT_NE(fs::status(fs::path(ready->folder) / "ddptrain").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(store_.ready(wanted_)->folder, ready->folder);
  EXPECT_NE(store_.ready({{{"ddptrain", kBytes, 5}}})->folder, ready->folder);
}

TEST_F(Programs, BytesWithAnotherHashAreNotKept) {
  std::istringstream source("abd");
  const auto kept = store_.keep({kAbc, 3}, source);
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("has the wrong SHA-256"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(path("content")));
}

TEST_F(Programs, ACopyThatBrokeOffGoesOnFromThere) {
  std::istringstream first("ab");
  EXPECT_FALSE(store_.keep({kAbc, 3}, first));
  EXPECT_EQ(store_.ready(wanted_)->missing, (std::vector<remote::MissingContent>{{kAbc, 2}, {kBytes, 0}}));
  std::istringstream rest("c");
  ASSERT_TRUE(store_.keep({kAbc, 3, 2}, rest));
  EXPECT_EQ(missing(), Hashes{kBytes});
  EXPECT_EQ(load_file(path("content/" + kAbc)), "abc");
}

TEST_F(Programs, APartWithOtherBytesIsThrownAway) {
  std::istringstream first("xy");
  EXPECT_FALSE(store_.keep({kAbc, 3}, first));
  std::istringstream rest("c");
  EXPECT_FALSE(store_.keep({kAbc, 3, 2}, rest));
  EXPECT_EQ(store_.ready(wanted_)->missing.front(), (remote::MissingContent{kAbc, 0}));
}

TEST_F(Programs, APartThatASilentSessionHoldsKeepsNobodyFromCopying) {
  std::istringstream first("ab");
  EXPECT_FALSE(store_.keep({kAbc, 3}, first));
  const FileDescriptor other(open(path("content/.part." + kAbc).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(other.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(store_.ready(wanted_)->missing.front(), (remote::MissingContent{kAbc, 0}));
  keep(kAbc, "abc");
  EXPECT_EQ(missing(), Hashes{kBytes});
  std::istringstream rest("cnext");
  EXPECT_FALSE(store_.keep({kAbc, 3, 2}, rest)) << "a part that is not there";
  std::string next;
  rest >> next;
  EXPECT_EQ(next, "next");
}

TEST_F(Programs, AnAnswerTellsHowMuchRoomThereIs) {
  EXPECT_GT(store_.ready(wanted_)->free, 0U);
}

TEST_F(Programs, FilesThatTheRunHasWrittenElsewhereAreCopiedIntoItsFolder) {
  keep_all();
  const std::vector<remote::UserFile> files = {{{"output/a.pt", kAbc, 3}, 0600},
                                               {{"output/twin.pt", kAbc, 3}, 0600},
                                               {{"checkpoints/b", kBytes, 5}, 0640}};
  const auto restored = store_.restore({"run-1", files}, path("run"));
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->folder, path("run"));
  EXPECT_EQ(load_file(path("run/output/a.pt")), "abc");
  EXPECT_EQ(load_file(path("run/output/twin.pt")), "abc");
  EXPECT_EQ(fs::status(path("run/checkpoints/b")).permissions(), fs::perms(0640));
  EXPECT_EQ(missing(), Hashes{}) << "small contents stay";
  EXPECT_FALSE(store_.restore({"run-1", {{{"../a", kAbc, 3}, 0600}}}, path("run")));
}

TEST_F(Programs, BytesThatCannotBeWrittenAreTakenAllTheSame) {
  fs::remove(path("content"));
  std::istringstream source("abcnext");
  EXPECT_FALSE(store_.keep({kAbc, 3}, source));
  std::string rest;
  source >> rest;
  EXPECT_EQ(rest, "next");
}

TEST_F(Programs, AFileThatHasChangedIsMissing) {
  keep_all();
  std::ofstream(path("content/" + kAbc)) << "abd";
  const timespec times[] = {{1, 0}, {1, 0}};  // a coarse clock could leave it as it was
  ASSERT_EQ(utimensat(AT_FDCWD, path("content/" + kAbc).c_str(), times, 0), 0);
  EXPECT_EQ(missing(), Hashes{kAbc});
}

TEST_F(Programs, AFileIsHashedOnceInEachState) {
  keep_all();
  struct stat found {};
  ASSERT_EQ(stat(path("content/" + kAbc).c_str(), &found), 0);
  std::ofstream(path("content/" + kAbc)) << "abd";
  const timespec times[] = {found.st_atim, found.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path("content/" + kAbc).c_str(), times, 0), 0);
  EXPECT_EQ(missing(), Hashes{});  // nobody but its owner can do this
  fs::remove(path("content/.index.json"));
  EXPECT_EQ(missing(), Hashes{kAbc});
}

TEST_F(Programs, AFileThatOthersCanWriteToOrLinkIsMissing) {
  keep_all();
  fs::permissions(path("content/" + kAbc), fs::perms::all);
  EXPECT_EQ(missing(), Hashes{kAbc});
  fs::rename(path("content/" + kBytes), temporary_ / "elsewhere");
  fs::create_symlink(temporary_ / "elsewhere", path("content/" + kBytes));
  EXPECT_EQ(missing(), (Hashes{kAbc, kBytes}));
}

TEST_F(Programs, AFileOfAnotherUserIsMissing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  keep_all();
  ASSERT_EQ(chown(path("content/" + kAbc).c_str(), 12345, 12345), 0);
  EXPECT_EQ(missing(), Hashes{kAbc});
}

TEST_F(Programs, AFolderWithOtherFilesIsLinkedAnew) {
  keep_all();
  const fs::path folder = store_.ready(wanted_)->folder;
  fs::remove(folder / "ddptrain");
  std::ofstream(folder / "ddptrain") << "another";
  std::ofstream(folder / "lib/libmore.so") << "more";
  EXPECT_EQ(store_.ready(wanted_)->folder, folder);
  EXPECT_EQ(load_file(folder / "ddptrain"), "abc");
  EXPECT_FALSE(fs::exists(folder / "lib/libmore.so"));
}

TEST_F(Programs, FoldersAreForThisUserAloneWhateverTheMask) {
  keep_all();
  const mode_t before = umask(0);
  const fs::path folder = store_.ready(wanted_)->folder;
  umask(before);
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder / "lib").permissions(), fs::perms::owner_all);
  fs::permissions(folder / "lib", fs::perms::all);  // as an earlier version may have left it
  EXPECT_EQ(store_.ready(wanted_)->folder, folder);
  EXPECT_EQ(fs::status(folder / "lib").permissions(), fs::perms::owner_all);
}

TEST_F(Programs, AFolderOfAnotherUserIsLinkedAnew) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  keep_all();
  const fs::path folder = store_.ready(wanted_)->folder;
  ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_EQ(store_.ready(wanted_)->folder, folder);
  struct stat found {};
  ASSERT_EQ(stat(folder.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 0U);
}

TEST_F(Programs, NamesDoNotLeaveThem) {
  std::istringstream source("abc");
  EXPECT_FALSE(store_.keep({"../" + kAbc.substr(3), 3}, source));
  EXPECT_FALSE(store_.ready({{{"../ddptrain", kAbc, 3}}}));
  EXPECT_FALSE(store_.place({"run-1", {{{"lib/../../train.py", kAbc, 3}, 0644}}}, path("work")));
}

TEST_F(Programs, FilesOfTheUserAreCopiesWithTheirModes) {
  keep_all();
  const std::vector<remote::UserFile> files = {
      {{"run it.sh", kAbc, 3}, 0750}, {{"lib/a.py", kBytes, 5}, 0440}, {{"lib/twin.py", kAbc, 3}, 0644}};
  const auto placed = store_.place({"run-1", files}, path("work"));
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->folder, path("work"));
  EXPECT_EQ(load_file(path("work/lib/a.py")), "bytes");
  EXPECT_EQ(fs::status(path("work/run it.sh")).permissions(), fs::perms(0750));
  EXPECT_EQ(fs::status(path("work/lib/a.py")).permissions(), fs::perms(0440));
  EXPECT_EQ(fs::hard_link_count(path("work/lib/twin.py")), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("work")), {}), 2);
}

TEST_F(Programs, FilesOfTheUserThatRanksHaveChangedAreReplaced) {
  keep_all();
  const std::vector<remote::UserFile> files = {{{"train.py", kAbc, 3}, 0644}};
  ASSERT_TRUE(store_.place({"run-1", files}, path("work")));
  std::ofstream(path("work/train.py")) << "changed";
  std::ofstream(path("work/result")) << "of a rank";
  EXPECT_EQ(store_.place({"run-1", files}, path("work"))->folder, path("work"));
  EXPECT_EQ(load_file(path("work/train.py")), "abc");
  EXPECT_EQ(load_file(path("work/result")), "of a rank");
}

TEST_F(Programs, LinksOfTheUserAreMadeBesideTheFiles) {
  keep_all();
  const remote::PlaceFiles request{
      "run-1", {{{"lib/a.py", kAbc, 3}, 0644}}, {{"b.py", "lib/a.py"}, {"x/data", "/data"}}};
  ASSERT_TRUE(store_.place(request, path("work")));
  ASSERT_TRUE(store_.place(request, path("work"))) << "again";
  EXPECT_EQ(load_file(path("work/b.py")), "abc");
  EXPECT_EQ(fs::read_symlink(path("work/x/data")), "/data");
  EXPECT_FALSE(store_.place({"run-1", {}, {{"../b.py", "lib/a.py"}}}, path("work")));
}

TEST_F(Programs, FilesOfTheUserThatAreMissingAreNamedOnce) {
  keep(kAbc, "abc");
  const auto placed = store_.place(
      {"run-1", {{{"a", kBytes, 5}, 0644}, {{"b", kBytes, 5}, 0644}, {{"c", kAbc, 3}, 0644}}}, path("work"));
  EXPECT_EQ(hashes_of(*placed), Hashes{kBytes});
  EXPECT_FALSE(fs::exists(path("work")));
}

}  // namespace
}  // namespace ddp::agent
