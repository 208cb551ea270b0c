#include "cli/launchers/ssh/push/pushed_contents.hpp"

#include <gtest/gtest.h>

#include "tests/support/told_host.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// Files "a" and "twin" of the same bytes, and "b".
class Contents : public testing::Test {
 protected:
  Expected<std::string> push() {
    return push_contents(host_, "node1", remote::ReadyPrograms{contents_.files}, contents_,
                         [this](const std::string& line) { said_.push_back(line); });
  }

  PushedContents contents_{{{"a", "1a", 4'200'000}, {"twin", "1a", 4'200'000}, {"b", "2b", 10}},
                           {{"1a", "/here/a"}, {"2b", "/here/b"}}};
  ToldHost host_;
  Lines said_;
};

TEST_F(Contents, ThatAHostLacksAreCopiedOnceAndTold) {
  host_.answers = {remote::FilesReady{"", {"1a", "2b"}}, remote::Done{}, remote::Done{},
                   remote::FilesReady{"/own/x", {}}};
  EXPECT_EQ(push(), "/own/x");
  EXPECT_EQ(host_.contents, (std::vector<fs::path>{"/here/a", "/here/b"}));
  EXPECT_EQ(std::get<remote::KeepContent>(host_.requests.at(2)), (remote::KeepContent{"2b", 10}));
  EXPECT_EQ(said_, Lines{"copying 5 MB to node1: 2 files"});
}

TEST_F(Contents, ThatAHostHasAreNot) {
  host_.answers = {remote::FilesReady{"/own/x", {}}};
  EXPECT_EQ(push(), "/own/x");
  EXPECT_TRUE(host_.contents.empty());
  EXPECT_EQ(said_, Lines());
}

TEST_F(Contents, ThatNobodyHasAnyMoreAreNamed) {
  contents_.sources.erase("2b");
  host_.answers = {remote::FilesReady{"", {"1a", "2b"}}};
  const auto pushed = push();
  ASSERT_FALSE(pushed);
  EXPECT_EQ(
      pushed.error().message,
      "node1: it does not have 'b' as it was when this run began, and this machine has changed it, too");
  EXPECT_TRUE(host_.contents.empty());
}

TEST_F(Contents, ThatNobodyHasNamedAreRefused) {
  host_.answers = {remote::FilesReady{"", {"3c"}}};
  EXPECT_FALSE(push());
  EXPECT_TRUE(host_.contents.empty());
}

}  // namespace
}  // namespace ddp::cli
