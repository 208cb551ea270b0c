#include "cli/launchers/ssh/push/pushed_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

// FIPS 180-2, B.1: of "abc".
const std::string kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class Files : public testing::Test {
 protected:
  Files() {
    fs::create_directories(request_.folder.root());
    request_.plan.run_id = "run-1";
    request_.plan.work_dir = temporary_.path();
    request_.spec.run_root = temporary_ / "runs";
    options_of<SshOptions>(request_.spec).push = {"a b.py", "lib"};
    write("a b.py", "abc");
    write("lib/c.py", "text");
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((temporary_ / name).parent_path());
    std::ofstream(temporary_ / name) << text;
  }
  Expected<PushedFiles> collect() { return collect_files(request_, user_, runner_); }

  TemporaryFolder temporary_;
  LaunchRequest request_{
      .spec = {}, .plan = {}, .folder = RunFolder(temporary_ / "runs/run-1"), .environment = {}, .token = ""};
  EnvMap user_{{{"PATH", "/usr/bin:/bin"}}};
  RealCommandRunner runner_;
};

TEST_F(Files, AreNamedByTheirContents) {
  const auto files = collect();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->order.run_id, "run-1");
  ASSERT_EQ(files->order.files.size(), 2U);
  EXPECT_EQ(files->order.files.front().file, (remote::ProgramFile{"a b.py", kAbc, 3}));
  EXPECT_EQ(files->contents.sources.at(kAbc), temporary_ / "a b.py");
}

TEST_F(Files, StayThoseThatTheRunBeganWith) {
  EXPECT_FALSE(has_pushed_files(request_.folder));
  const auto first = collect();
  ASSERT_TRUE(first);
  EXPECT_FALSE(has_pushed_files(request_.folder)) << "no host has them yet";
  ASSERT_TRUE(record_files(request_.folder, *first));
  EXPECT_TRUE(has_pushed_files(request_.folder));
  write("a b.py", "changed");
  write("lib/more.py", "more");
  fs::remove(temporary_ / "lib/c.py");
  const auto again = collect();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->order, first->order);
  EXPECT_EQ(again->contents.files, first->contents.files);
  EXPECT_TRUE(again->contents.sources.empty()) << "no file is here as it was";
  write("a b.py", "abc");
  EXPECT_EQ(collect()->contents.sources.at(kAbc), temporary_ / "a b.py");
}

TEST_F(Files, AreNoneWithoutTheKey) {
  options_of<SshOptions>(request_.spec).push.clear();
  EXPECT_TRUE(collect()->empty());
  EXPECT_FALSE(has_pushed_files(request_.folder));
}

TEST_F(Files, ARecordOfSomethingElseIsAnError) {
  std::ofstream(request_.folder.pushed_files()) << "{}\n";
  EXPECT_FALSE(collect());
}

/// A run whose working tree was copied, and that starts in its folder "sub".
class CopiedFiles : public Files {
 protected:
  CopiedFiles() {
    request_.spec.environment.snapshot = true;
    request_.plan.submit_dir = temporary_ / "sub";
    request_.plan.work_dir = request_.folder.source_tree() / "sub";
    options_of<SshOptions>(request_.spec).push.clear();
    write("runs/run-1/source/tree/sub/train.py", "abc");
    write("runs/run-1/source/tree/lib/a.py", "lib");
    write("sub/train.py", "changed since");
    write("sub/data/x", "ignored");
    fs::create_symlink("../data", request_.folder.source_tree() / "lib/data");
    fs::create_symlink("/data", request_.folder.source_tree() / "sub/data");
  }
  [[nodiscard]] std::vector<std::string> names(const PushedFiles& files) const {
    std::vector<std::string> found;
    for (const auto& each : files.order.files) found.push_back(each.file.name);
    return found;
  }
};

TEST_F(CopiedFiles, AreThoseOfTheCopyWithItsLinks) {
  const auto files = collect();
  ASSERT_TRUE(files);
  EXPECT_EQ(names(*files), (std::vector<std::string>{"lib/a.py", "sub/train.py"}));
  EXPECT_EQ(files->order.links,
            (std::map<std::string, std::string>{{"lib/data", "../data"}, {"sub/data", "/data"}}));
  EXPECT_EQ(files->contents.sources.at(kAbc), request_.folder.source_tree() / "sub/train.py");
  EXPECT_EQ(folder_below_files(request_), "sub");
}

TEST_F(CopiedFiles, HaveThoseOfSshPushBesides) {
  options_of<SshOptions>(request_.spec).push = {"data"};
  const auto files = collect();
  ASSERT_TRUE(files);
  EXPECT_EQ(names(*files), (std::vector<std::string>{"lib/a.py", "sub/data/x", "sub/train.py"}));
  EXPECT_FALSE(files->order.links.contains("sub/data")) << "its files are in its place";
  ASSERT_TRUE(record_files(request_.folder, *files));
  const auto again = collect();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->order, files->order);
  EXPECT_EQ(again->contents.sources.size(), 3U);
}

}  // namespace
}  // namespace ddp::cli
