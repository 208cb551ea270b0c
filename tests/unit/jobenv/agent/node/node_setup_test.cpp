#include "jobenv/agent/node/node_setup.hpp"

#include <gtest/gtest.h>

#include "tests/support/places.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

/// Set-up lines in a real shell that ends in the real ddp-agent.
class SetUpLinesOfANode : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
  }

  void run(std::vector<std::string> lines) {
    plan_ = make_plan(run_.path(), 1, "true");
    plan_.agent = build_path("bin/ddp-agent");
    plan_.setup = std::move(lines);
    std::filesystem::create_directories(run_.folder().head_log().parent_path());
    setup_.emplace(*loop_, plan_, 2, [this](tl::expected<ShellState, AgentFailed> state) {
      state_ = std::move(state);
      loop_->quit();
    });
    ASSERT_TRUE(setup_->start(EnvMap::capture(), std::nullopt));
    loop_->run();
  }
  [[nodiscard]] std::string log() const { return read_file(run_.folder().node_log(2)); }

  RunFixture run_;
  std::unique_ptr<EventLoop> loop_;
  LaunchPlan plan_;
  std::optional<NodeSetup> setup_;
  std::optional<tl::expected<ShellState, AgentFailed>> state_;
};

TEST_F(SetUpLinesOfANode, TellWhatTheyChange) {
  run({"echo loading", "export MODULE=$'cuda\n13'", "umask 027", "ulimit -S -c 0"});
  ASSERT_TRUE(*state_) << state_->error().what;
  EXPECT_EQ((*state_)->environment.get("MODULE"), "cuda\n13");
  EXPECT_EQ((*state_)->file_mask, 027U);
  EXPECT_EQ((*state_)->limits.at(RLIMIT_CORE).rlim_cur, 0U);
  EXPECT_EQ(log(), "loading\n");
}

TEST_F(SetUpLinesOfANode, TheFirstThatFailsIsNamed) {
  run({"true", "echo no such module >&2; false", "touch reached"});
  ASSERT_FALSE(*state_);
  EXPECT_EQ(state_->error().what,
            "environment.setup ended with exit code 1 in line 2: `echo no such module >&2; false` (see "
            "logs/node-2.log)");
  EXPECT_EQ(state_->error().output_tail, "no such module\n");
  EXPECT_FALSE(std::filesystem::exists(run_.path() / "reached"));
  EXPECT_FALSE(std::filesystem::exists(run_.path() / "setup-failure-2"));
}

TEST_F(SetUpLinesOfANode, AnEndBeforeTheLastLineIsAFailure) {
  run({"exit 0"});
  ASSERT_FALSE(*state_);
  EXPECT_EQ(state_->error().what, "environment.setup ended with exit code 0 (see logs/node-2.log)");
}

TEST_F(SetUpLinesOfANode, WhatTheyStartLivesAsLongAsTheAgent) {
  run({"sleep 1000 & echo $! > pid", "setsid sleep 1000 & echo $! >> pid"});
  ASSERT_TRUE(*state_);
  const auto pids = read_numbers(run_.path() / "pid");
  ASSERT_EQ(pids.size(), 2U);
  for (const int pid : pids) EXPECT_TRUE(is_running(pid));
  setup_.reset();
  for (const int pid : pids) EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << pid;
}

}  // namespace
}  // namespace ddp::agent
