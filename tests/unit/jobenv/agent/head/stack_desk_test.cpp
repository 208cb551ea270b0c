#include "jobenv/agent/head/stack_desk.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

/// Two agents of one rank each.
class Desk : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    desk_.emplace(*loop_, folder_, milliseconds(10),
                  [this](const RunEvent& event) { posted_.push_back(event); });
    for (int agent = 0; agent < 2; ++agent) desk_->take(AgentJoined{agent, {}, {}});
    desk_->begin_attempt(1, 2);
  }
  void want(const std::string& id, const StackRequest& request) {
    std::filesystem::create_directories(folder_.stacks());
    ASSERT_TRUE(save_file(folder_.stack_request(id), to_json(request).dump(), Durability::visible));
  }
  template <class Predicate>
  bool run_until(Predicate holds) {
    return run_loop_until(*loop_, holds);
  }
  void answer(int agent, const std::string& id) {
    desk_->take(
        AgentSaid{agent, StacksTaken{id, {{agent, "host", "sleeping", "py-spy", {"main (train.py:7)"}}}}});
  }

  TemporaryFolder dir_;
  RunFolder folder_{dir_.path()};
  std::unique_ptr<EventLoop> loop_;
  std::vector<RunEvent> posted_;
  std::optional<StackDesk> desk_;
};

TEST_F(Desk, ARequestIsAnsweredWhenAllAgentsHaveAnswered) {
  want("7", {});
  ASSERT_TRUE(run_until([this] { return !posted_.empty(); }));
  EXPECT_EQ(std::get<StacksWanted>(posted_.front()).id, "7");
  EXPECT_FALSE(std::filesystem::exists(folder_.stack_request("7")));
  answer(1, "7");
  EXPECT_FALSE(std::filesystem::exists(folder_.stack_answer("7")));
  answer(0, "7");
  const auto record = load_stack_record(folder_.stack_answer("7"));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->attempt, 1);
  EXPECT_EQ(record->world_size, 2);
  ASSERT_EQ(record->ranks.size(), 2U);
  EXPECT_EQ(record->ranks[0].rank, 0);
  EXPECT_EQ(record->ranks[0].frames.front(), "main (train.py:7)");
}

TEST_F(Desk, ARequestNamesTheRanksThatItWants) {
  want("7", {{1}});
  ASSERT_TRUE(run_until([this] { return !posted_.empty(); }));
  EXPECT_EQ(std::get<StacksWanted>(posted_.front()).ranks, std::vector<int>{1});
}

TEST_F(Desk, AnAgentThatIsLostIsNotWaitedFor) {
  want("7", {});
  ASSERT_TRUE(run_until([this] { return !posted_.empty(); }));
  answer(0, "7");
  desk_->take(AgentLost{1, "", {}});
  EXPECT_TRUE(load_stack_record(folder_.stack_answer("7")));
}

TEST_F(Desk, WhatWasTakenForAHangStays) {
  answer(0, "hang-1");
  answer(1, "hang-1");
  const auto record = load_stack_record(folder_.hang_stacks(1));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->ranks.size(), 2U);
}

TEST_F(Desk, WhatWasTakenForAHangIsKeptAlsoWhenTheRunEndsBeforeAllHaveAnswered) {
  answer(1, "hang-1");
  desk_->stop();
  const auto record = load_stack_record(folder_.hang_stacks(1));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->ranks.size(), 1U);
}

TEST_F(Desk, AnAnswerThatComesTooLateChangesNothing) {
  answer(0, "hang-1");
  answer(1, "hang-1");
  answer(1, "hang-1");
  desk_->stop();
  EXPECT_EQ(load_stack_record(folder_.hang_stacks(1))->ranks.size(), 2U);
}

TEST_F(Desk, AFileThatIsNoRequestIsRemoved) {
  std::filesystem::create_directories(folder_.stacks());
  ASSERT_TRUE(save_file(folder_.stack_request("7"), "{", Durability::visible));
  ASSERT_TRUE(run_until([this] { return !std::filesystem::exists(folder_.stack_request("7")); }));
  EXPECT_TRUE(posted_.empty());
}

}  // namespace
}  // namespace ddp::agent
