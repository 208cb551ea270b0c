#include "jobenv/agent/head/lost_nodes.hpp"

#include <gmock/gmock.h>

namespace ddp::agent {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

LedgerEvent event(const std::string& name, json fields) {
  return {{}, name, std::move(fields)};
}

TEST(FindLostAgain, NamesWhatAnEarlierStartHasLost) {
  const std::vector<LedgerEvent> events = {
      event("submit_intent", {{"token", "t"}}),
      event("nodes_lost", {{"attempt", 0}, {"hosts", {"n2", "n3"}}}),
  };
  EXPECT_THAT(find_lost_again(events, {"n1", "n3"}), ElementsAre("n3"));
  EXPECT_THAT(find_lost_again(events, {"n1"}), IsEmpty());
}

TEST(FindLostAgain, AHeadThatLeftNoEndWasLostWithItsNode) {
  const std::vector<LedgerEvent> events = {
      event("submit_intent", {{"token", "t"}}),
      event("head_started", {{"attempt", 0}, {"host", "n1"}}),
      event("head_started", {{"attempt", 1}, {"host", "n2"}}),
      event("attempt_ended", {{"attempt", 0}, {"outcome", "lost"}}),
      event("attempt_ended", {{"attempt", 1}, {"outcome", "failed"}}),
  };
  EXPECT_THAT(find_lost_again(events, {"n1", "n2"}), ElementsAre("n1"));
}

TEST(FindLostAgain, AnAttemptThatFollowedInTheSameJobHadTheSameHead) {
  const std::vector<LedgerEvent> events = {
      event("submit_intent", {{"token", "t"}}),
      event("head_started", {{"attempt", 0}, {"host", "n1"}}),
      event("attempt_ended", {{"attempt", 0}, {"outcome", "failed"}}),
      event("head_started", {{"attempt", 2}, {"host", "n2"}}),
      event("attempt_ended", {{"attempt", 1}, {"outcome", "lost"}}),
  };
  EXPECT_THAT(find_lost_again(events, {"", "n1", "n2"}), ElementsAre("n1"));
}

TEST(FindLostAgain, AHeadThatSlurmHadStoppedWasNotLostWithItsNode) {
  const std::vector<LedgerEvent> events = {
      event("submit_intent", {{"token", "t"}}),
      event("head_started", {{"attempt", 0}, {"host", "n1"}}),
      event("stop_requested", {{"attempt", 0}, {"reason", "preempted"}}),
      event("attempt_ended", {{"attempt", 0}, {"outcome", "lost"}}),
  };
  EXPECT_THAT(find_lost_again(events, {"n1"}), IsEmpty());
}

TEST(FindLostAgain, AnEarlierSubmissionDoesNotCount) {
  const std::vector<LedgerEvent> events = {
      event("nodes_lost", {{"attempt", 0}, {"hosts", {"n2"}}}),
      event("submit_intent", {{"token", "t"}}),
      event("nodes_lost", {{"attempt", 1}, {"hosts", "no list"}}),
  };
  EXPECT_THAT(find_lost_again(events, {"n2"}), IsEmpty());
}

}  // namespace
}  // namespace ddp::agent
