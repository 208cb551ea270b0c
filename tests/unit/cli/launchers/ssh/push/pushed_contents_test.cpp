#include "cli/launchers/ssh/push/pushed_contents.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.hpp"
#include "tests/support/told_host.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// Files "a" and "twin" of the same bytes, and "b".
class Contents : public testing::Test {
 protected:
  Expected<std::string> push() {
    return order_contents(host_, "node1", remote::ReadyPrograms{contents_.files}, contents_)
        .and_then([&](const ContentOrder& order) {
          progress_.expect("node1", order.bytes());
          return push_contents(host_, "node1", order, progress_);
        });
  }

  PushedContents contents_{{{"a", "1a", 4'200'000}, {"twin", "1a", 4'200'000}, {"b", "2b", 10}},
                           {{"1a", "/here/a"}, {"2b", "/here/b"}}};
  ToldHost host_;
  Lines said_;
  FakeClock clock_;
  CopyProgress progress_{clock_, [this](const std::string& line) { said_.push_back(line); }};
};

TEST_F(Contents, ThatAHostLacksAreCopiedOnceAndTold) {
  host_.answers = {remote::FilesReady{"", {{"1a"}, {"2b", 4}}, 9}, remote::Done{}, remote::Done{},
                   remote::FilesReady{"/own/x", {}, 9}};
  EXPECT_EQ(push(), "/own/x");
  EXPECT_EQ(host_.contents, (std::vector<fs::path>{"/here/a", "/here/b"}));
  EXPECT_EQ(std::get<remote::KeepContent>(host_.requests.at(2)), (remote::KeepContent{"2b", 10, 4}));
}

TEST_F(Contents, ThatWereCopiedInPartAreAskedForFromThere) {
  host_.answers = {remote::FilesReady{"", {{"2b", 4}}, 9}, remote::Done{},
                   remote::FilesReady{"/own/x", {}, 9}};
  EXPECT_EQ(push(), "/own/x");
  EXPECT_EQ(std::get<remote::KeepContent>(host_.requests.at(1)), (remote::KeepContent{"2b", 10, 4}));
}

TEST_F(Contents, WhoseCopyBreaksOffAreNotLost) {
  host_.answers = {remote::FilesReady{"", {{"1a"}}, 9}};
  const auto pushed = push();
  ASSERT_FALSE(pushed);
  EXPECT_NE(pushed.error().hint.find("the copy goes on from there"), std::string::npos);
}

TEST_F(Contents, ThatAHostHasAreNot) {
  host_.answers = {remote::FilesReady{"/own/x", {}, 9}};
  EXPECT_EQ(push(), "/own/x");
  EXPECT_TRUE(host_.contents.empty());
  EXPECT_EQ(said_, Lines());
}

TEST_F(Contents, ThatNobodyHasAnyMoreAreNamed) {
  contents_.sources.erase("2b");
  host_.answers = {remote::FilesReady{"", {{"1a"}, {"2b", 4}}, 9}};
  const auto pushed = push();
  ASSERT_FALSE(pushed);
  EXPECT_EQ(
      pushed.error().message,
      "node1: it does not have 'b' as it was when this run began, and this machine has changed it, too");
  EXPECT_TRUE(host_.contents.empty());
}

TEST_F(Contents, ThatNobodyHasNamedAreRefused) {
  host_.answers = {remote::FilesReady{"", {{"3c"}}, 9}};
  EXPECT_FALSE(push());
  EXPECT_TRUE(host_.contents.empty());
}

}  // namespace
}  // namespace ddp::cli
