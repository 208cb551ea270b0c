#include "jobenv/record/ledger/cancel_request.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

using nlohmann::json;

LedgerEvent submission(const std::string& token) {
  return {{}, "submit_intent", {{"token", token}}};
}
LedgerEvent cancel_of(const std::string& token) {
  return {{}, "cancel_requested", {{"host", "login1"}, {"token", token}}};
}
LedgerEvent cancel_without_token() {
  return {{}, "cancel_requested", {{"host", "login1"}}};
}

TEST(CancelRequest, NeedsARecord) {
  EXPECT_FALSE(is_cancel_requested({}));
  EXPECT_FALSE(is_cancel_requested({submission("a")}));
}

TEST(CancelRequest, IsForTheSubmissionWithItsToken) {
  EXPECT_TRUE(is_cancel_requested({submission("a"), cancel_of("a")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), cancel_of("a"), submission("b")}));
  EXPECT_TRUE(is_cancel_requested({submission("a"), submission("b"), cancel_of("b")}));
}

TEST(CancelRequest, IsFoundWhateverTheClocksSay) {
  EXPECT_TRUE(is_cancel_requested({cancel_of("a"), submission("a")}));
  EXPECT_TRUE(is_cancel_requested({submission("a"), cancel_of("b"), submission("b")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), submission("b"), cancel_of("a")}));
}

TEST(CancelRequest, WithoutATokenIsForTheSubmissionBeforeIt) {
  EXPECT_TRUE(is_cancel_requested({cancel_without_token()}));
  EXPECT_TRUE(is_cancel_requested({submission("a"), cancel_without_token()}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), cancel_without_token(), submission("b")}));
  EXPECT_FALSE(is_cancel_requested({cancel_without_token(), submission("a")}));
}

TEST(CancelRequest, OfARunWhoseSubmissionIsNotRecordedCounts) {
  EXPECT_TRUE(is_cancel_requested({cancel_of("a")}));
}

TEST(CancelRequest, SurvivesFieldsOfOtherTypes) {
  const LedgerEvent odd{{}, "cancel_requested", {{"token", 7}}};
  EXPECT_TRUE(is_cancel_requested({submission("a"), odd}));
  EXPECT_FALSE(is_cancel_requested({{{}, "submit_intent", json::object()}, cancel_of("a")}));
}

LedgerEvent damage_of(const std::string& writer) {
  return {{}, event::DamagedLines::kName, {{"writer", writer}}};
}
LedgerEvent head_started() {
  return {{}, "head_started", {{"attempt", 0}}};
}
LedgerEvent run_ended() {
  return {{}, "run_ended", {{"state", "cancelled"}, {"exit_code", 130}}};
}

TEST(CancelRequest, OfASubmissionWhoseIntentIsLostCountsByItsPlace) {
  const auto lost = damage_of("submit");
  EXPECT_TRUE(is_cancel_requested({submission("a"), lost, cancel_of("b")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), lost, cancel_of("b"), submission("c")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), cancel_of("b")})) << "nothing is lost";
}

TEST(CancelRequest, IsWhatMayHaveBeenOne) {
  EXPECT_TRUE(is_cancel_requested({submission("a"), damage_of("cancel-7-1")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), damage_of("cancel-7-1"), submission("b")}));
  EXPECT_FALSE(is_cancel_requested({submission("a"), damage_of("head-0"), damage_of("submit")}));
  EXPECT_TRUE(is_cancel_requested({submission("a"), damage_of("cancel-7-1")}, "a"));
  EXPECT_FALSE(is_cancel_requested({damage_of("cancel-7-1"), submission("a"), cancel_of("b")}, "a"));
  EXPECT_TRUE(is_cancel_requested({cancel_of("a"), submission("a")}, "a"));
}

TEST(CancelRequest, IsNotForALaterSubmissionWhoseIntentIsLost) {
  const std::vector<LedgerEvent> first{submission("a"), head_started(), cancel_of("a"), run_ended()};
  EXPECT_TRUE(is_cancel_requested(first));
  auto later = first;
  later.insert(later.end(), {damage_of("submit"), head_started()});
  EXPECT_FALSE(is_cancel_requested(later));
  later.push_back(cancel_of("b"));
  EXPECT_TRUE(is_cancel_requested(later));
}

}  // namespace
}  // namespace ddp
