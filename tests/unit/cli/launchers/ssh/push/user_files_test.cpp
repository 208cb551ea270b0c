#include "cli/launchers/ssh/push/user_files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class UserFiles : public testing::Test {
 protected:
  UserFiles() {
    fs::create_directory(folder_);
    spec_.run_root = folder_ / "runs";
  }
  void write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  tl::expected<std::vector<FoundFile>, Errors> find(std::vector<std::string> items) {
    options_of<SshOptions>(spec_).push = std::move(items);
    return find_user_files(spec_, folder_);
  }
  std::vector<std::string> names(std::vector<std::string> items) {
    std::vector<std::string> names;
    const auto found = find(std::move(items));
    EXPECT_TRUE(found) << found.error().front().message;
    if (found)
      for (const auto& file : *found) names.push_back(file.name);
    return names;
  }
  std::vector<std::string> errors(std::vector<std::string> items) {
    std::vector<std::string> messages;
    if (const auto found = find(std::move(items)); !found)
      for (const auto& error : found.error()) messages.push_back(error.message);
    return messages;
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_ / "project";
  RunSpec spec_;
};

TEST_F(UserFiles, AreThoseOfFoldersToo) {
  write("train.py");
  write("lib/a.py");
  write("lib/deep/it's \"b\" $(c).py");
  write("lib/-oProxyCommand=x");
  write("other.py");
  EXPECT_THAT(names({"lib/", "./train.py", "lib/a.py"}),
              ElementsAre("lib/-oProxyCommand=x", "lib/a.py", "lib/deep/it's \"b\" $(c).py", "train.py"));
}

TEST_F(UserFiles, HaveASizeAndAMode) {
  write("run.sh", "12345");
  ASSERT_EQ(chmod((folder_ / "run.sh").c_str(), 04750), 0);
  const auto found = find({"run.sh"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().size, 5U);
  EXPECT_EQ(found->front().mode, 0750);
}

TEST_F(UserFiles, AreNotThoseOfGitOfCachesAndOfRuns) {
  write("train.py");
  write(".git/config");
  write("lib/.git", "gitdir: elsewhere");
  write("lib/__pycache__/a.pyc");
  write("lib/a.py");
  write("runs/job-1/secrets.json");
  write(".env");
  EXPECT_THAT(names({"."}), ElementsAre(".env", "lib/a.py", "train.py"));
  EXPECT_THAT(errors({"runs"}), ElementsAre("'runs' is run_root, the folder of the run folders"));
  spec_.run_root = folder_;
  EXPECT_THAT(errors({"."}), ElementsAre("'.' is run_root, the folder of the run folders"));
  EXPECT_THAT(names({"lib"}), ElementsAre("lib/a.py"));
}

TEST_F(UserFiles, LinksToWhatIsLeftOutAreLeftOut) {
  write("train.py");
  write(".git/config");
  write("runs/job-1/secrets.json");
  write("runs/job-1/output/model.pt");
  fs::create_symlink("runs/job-1", folder_ / "latest");
  fs::create_symlink("runs/job-1/secrets.json", folder_ / "record.json");
  fs::create_symlink(".git", folder_ / "history");
  EXPECT_THAT(names({"."}), ElementsAre("train.py"));
  EXPECT_THAT(names({"latest/output", "record.json"}), ElementsAre("latest/output/model.pt", "record.json"));
}

TEST_F(UserFiles, LinksAreFollowedInsideOfTheFolder) {
  write("common/a.py");
  write("lib/b.py");
  fs::create_symlink("../common", folder_ / "lib/linked");
  fs::create_symlink("common/a.py", folder_ / "a.py");
  EXPECT_THAT(names({"lib", "a.py"}), ElementsAre("a.py", "lib/b.py", "lib/linked/a.py"));
}

TEST_F(UserFiles, LinksThatLeadOutAreRefused) {
  std::ofstream(temporary_ / "secret") << "text";
  write("lib/b.py");
  fs::create_symlink(temporary_ / "secret", folder_ / "lib/link");
  EXPECT_THAT(errors({"lib"}), ElementsAre(HasSubstr("'lib/link' leads outside the current folder")));
  fs::create_symlink(temporary_.path(), folder_ / "up");
  EXPECT_THAT(errors({"up/secret"}), ElementsAre(HasSubstr("'up/secret' leads outside the current folder")));
}

TEST_F(UserFiles, LinksInACircleAreRefused) {
  write("one/a.py");
  write("two/b.py");
  fs::create_symlink("../two", folder_ / "one/to_two");
  fs::create_symlink("../one", folder_ / "two/to_one");
  EXPECT_THAT(errors({"one"}), ElementsAre("'one/to_two/to_one' is a link to a folder that contains it"));
}

TEST_F(UserFiles, WhatIsNoFileIsNamed) {
  fs::create_directories(folder_ / "lib/empty");
  ASSERT_EQ(mkfifo((folder_ / "lib/pipe").c_str(), 0600), 0);
  fs::create_symlink("nowhere", folder_ / "lib/dangling");
  EXPECT_THAT(errors({"lib", "lib/empty", "gone.py"}),
              testing::UnorderedElementsAre(
                  "'lib/pipe' is not a file or a folder", HasSubstr("'lib/dangling' was not found"),
                  "'lib/empty' contains no file to copy", HasSubstr("'gone.py' was not found (looked in ")));
}

TEST_F(UserFiles, NamesThatNoLineCanHoldAreRefused) {
  write("lib/a\nb.py");
  write("lib/\xff.py");
  EXPECT_THAT(errors({"lib"}),
              testing::Each(HasSubstr("has a line break, a control character or invalid UTF-8")));
  EXPECT_EQ(errors({"lib"}).size(), 2U);
}

TEST_F(UserFiles, ThatAreTooLargeOrTooManyAreRefused) {
  write("data");
  fs::resize_file(folder_ / "data", (std::uint64_t{1} << 30) + 1);
  EXPECT_THAT(errors({"data"}), ElementsAre("ssh.push names more than 1 GiB"));
  for (int number = 0; number <= 2'000; ++number) write("many/" + std::to_string(number), "");
  EXPECT_THAT(errors({"many"}), ElementsAre("ssh.push names more than 2000 files"));
}

TEST_F(UserFiles, AnErrorStandsAtTheItemThatLeadsToIt) {
  write("train.py");
  spec_.origins.by_path["ssh.push[1]"] = Place{};
  EXPECT_TRUE(find({"train.py", "gone.py"}).error().front().where);
  EXPECT_FALSE(find({"gone.py"}).error().front().where);
}

}  // namespace
}  // namespace ddp::cli
