#include "cli/launch/preflight/outside_copy.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// A tree whose folder "sub" the run starts in. In the copy are sub/train.py, lib/a.py and links.
class OutsideCopyTest : public testing::Test {
 protected:
  OutsideCopyTest() {
    for (const char* name :
         {"tree/sub/train.py", "tree/lib/a.py", "tree/build/app", "tree/sub/data/x", "out/y"}) {
      fs::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name).flush();
    }
    fs::create_symlink("../../out", folder_ / "tree/sub/leads-out");
    fs::create_symlink("../lib", folder_ / "tree/sub/leads-in");
    fs::create_symlink("../build", folder_ / "tree/sub/leads-to-ignored");
    list_.entries = {{"lib/a.py", EntryKind::file, 0},
                     {"sub/leads-in", EntryKind::link, 0},
                     {"sub/leads-out", EntryKind::link, 0},
                     {"sub/leads-to-ignored", EntryKind::link, 0},
                     {"sub/train.py", EntryKind::file, 0}};
  }
  Preflight find(std::vector<std::string> command) {
    spec_.command = std::move(command);
    return find_outside_copy(spec_, {folder_ / "tree", "sub", TreeKind::git}, list_, EnvMap());
  }

  TemporaryFolder folder_;
  TreeList list_;
  RunSpec spec_;
};

TEST_F(OutsideCopyTest, IsNothingThatIsInTheCopy) {
  const auto found = find({"python3", "train.py", "../lib/a.py", "--file=../lib", "leads-in/a.py",
                           "leads-out/y", "data.not-there", "--data", "."});
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST_F(OutsideCopyTest, IsAnErrorForAProgramAndAScript) {
  const auto found = find({"../build/app"});
  ASSERT_EQ(found.errors.size(), 1u);
  EXPECT_THAT(found.errors[0].message, HasSubstr("'../build/app' is not in the copy of the working tree"));
  EXPECT_THAT(found.errors[0].message, EndsWith("git ignores it"));
  EXPECT_EQ(found.errors[0].hint, "name it by its absolute path, " + (folder_ / "tree/build/app").string() +
                                      ", or take it out of .gitignore");
  EXPECT_EQ(find({"sh", "../../out/y"}).errors.size(), 1u);
  EXPECT_EQ(find({"python3", "leads-to-ignored/app"}).errors.size(), 1u);
}

TEST_F(OutsideCopyTest, IsAWarningForOtherArguments) {
  const auto found = find({"python3", "train.py", "--data=data", "../../out/y"});
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("'data' is not in the copy"),
                                          HasSubstr("it is outside of '" + (folder_ / "tree").string())));
}

TEST_F(OutsideCopyTest, WarnsOfAnAbsolutePathIntoTheTree) {
  EXPECT_THAT(find({"python3", folder_ / "tree/sub/train.py"}).warnings,
              ElementsAre(HasSubstr("uses the original")));
  EXPECT_THAT(find({folder_ / "tree/build/app"}).warnings, IsEmpty());
}

TEST_F(OutsideCopyTest, LooksAtWhatSetUpLinesSource) {
  spec_.environment.setup = {"source data/x"};
  const auto found = find({"true"});
  ASSERT_EQ(found.errors.size(), 1u);
  EXPECT_THAT(found.errors[0].hint, HasSubstr("write: source \"$DDPSUBMIT_SUBMIT_DIR\"/data/x"));
  spec_.environment.setup = {"make"};
  EXPECT_THAT(find({"../build/app"}).errors, IsEmpty()) << "the lines may make it";
}

TEST_F(OutsideCopyTest, IsNotWhatIsPushedBesides) {
  spec_.launcher = find_launcher("ssh");
  options_of<SshOptions>(spec_).stage = Stage::push;
  EXPECT_EQ(find({"python3", "train.py", "data/x"}).warnings.size(), 1u);
  options_of<SshOptions>(spec_).push = {"data"};
  EXPECT_THAT(find({"python3", "train.py", "data/x"}).warnings, IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
