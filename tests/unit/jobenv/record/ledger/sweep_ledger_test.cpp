#include "jobenv/record/ledger/sweep_ledger.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/index_list.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

using nlohmann::json;

TEST(IndexList, IsRenderedAsSlurmDoesAndReadBack) {
  const std::vector<int> indices{0, 1, 2, 5, 7, 8};
  EXPECT_EQ(render_index_list(indices), "0-2,5,7-8");
  EXPECT_EQ(parse_index_list("0-2,5,7-8"), indices);
  EXPECT_EQ(render_index_list(std::vector<int>{}), "");
  EXPECT_TRUE(index_list_holds("0-2,5,7-8", 7));
  EXPECT_FALSE(index_list_holds("0-2,5,7-8", 6));
}

TEST(IndexList, RefusesWhatIsNone) {
  for (const char* text : {"", ",", "1,", "a", "2-1", "-1", "1-", "1 2", "0-99999999", "1%2"})
    EXPECT_FALSE(parse_index_list(text)) << text;
}

class SweepLedger : public testing::Test {
 protected:
  SweepLedger() : sweep_(folder_.path() / "search-00000001"), point_(sweep_.point_folder(6)) {}
  void SetUp() override {
    ASSERT_TRUE(sweep_.create());
    ASSERT_TRUE(point_.create());
  }

  static void add(const RunFolder& folder, const std::string& writer, const std::string& event,
                  const json& fields) {
    auto ledger = LedgerWriter::open(folder, writer);
    ASSERT_TRUE(ledger && ledger->append(event, fields));
  }
  void submit(const std::string& token, int first, const std::string& tasks, const std::string& job) {
    add(sweep_, "submit", "submit_intent",
        {{"token", token}, {"launcher", "slurm"}, {"first_point", first}, {"tasks", tasks}});
    add(sweep_, "submit", "submitted", {{"token", token}, {"launcher", "slurm"}, {"job_id", job}});
  }
  /// "event job" of each event that the point has.
  [[nodiscard]] std::vector<std::string> story() const {
    std::vector<std::string> story;
    const auto events = load_ledger(point_);
    EXPECT_TRUE(events);
    for (const auto& event : events.value_or(std::vector<LedgerEvent>{}))
      story.push_back(event.event + " " + event.fields.value("job_id", ""));
    return story;
  }

  TemporaryFolder folder_;
  RunFolder sweep_;
  RunFolder point_;
};

using Story = std::vector<std::string>;

TEST_F(SweepLedger, APointHasTheSubmissionOfItsPartWithItsTask) {
  submit("a", 0, "0-4", "17");
  submit("b", 5, "0-4", "18");
  EXPECT_EQ(story(), (Story{"submit_intent ", "submitted 18_1"}));
}

TEST_F(SweepLedger, ARerunOfOtherPointsIsNotItsOwn) {
  submit("a", 0, "0-9", "17");
  submit("b", 1, "0,4,6", "18");
  EXPECT_EQ(story(), (Story{"submit_intent ", "submitted 17_6"}));
  submit("c", 1, "0,5", "19");
  EXPECT_EQ(story(), (Story{"submit_intent ", "submitted 17_6", "submit_intent ", "submitted 19_5"}));
}

TEST_F(SweepLedger, ACancelOfItsPartIsForIt) {
  submit("a", 0, "0-4", "17");
  submit("b", 5, "0-4", "18");
  add(sweep_, "cancel-1", "cancel_requested", {{"token", "a"}});
  EXPECT_FALSE(is_cancel_requested(*load_ledger(point_)));
  add(sweep_, "cancel-2", "cancel_requested", {{"token", "b"}});
  EXPECT_TRUE(is_cancel_requested(*load_ledger(point_)));
}

TEST_F(SweepLedger, ACancelOfAPartWhoseIntentIsLostMayBeForIt) {
  std::ofstream(sweep_.ledger_of("submit")) << "garbage\n";
  add(sweep_, "cancel-1", "cancel_requested", {{"token", "a"}});
  EXPECT_TRUE(is_cancel_requested(*load_ledger(point_)));
  submit("b", 5, "0-4", "18");
  EXPECT_FALSE(is_cancel_requested(*load_ledger(point_))) << "it was before";
  add(sweep_, "cancel-2", "cancel_requested", {{"token", "c"}});
  EXPECT_TRUE(is_cancel_requested(*load_ledger(point_)));
}

TEST_F(SweepLedger, AStopEndsThePointsThatHadNotStarted) {
  submit("a", 0, "0-9", "");
  add(sweep_, "sweep-a", "sweep_stopped", {{"token", "a"}, {"message", "stopped"}});
  EXPECT_EQ(load_ledger(point_)->back().event, "run_ended");
  EXPECT_EQ(load_ledger(point_)->back().fields.at("state"), "cancelled");
}

TEST_F(SweepLedger, AStopLeavesAPointThatHadStartedItsOwnEnd) {
  submit("a", 0, "0-9", "");
  add(point_, "head-0", "head_started", {{"attempt", 0}});
  add(point_, "head-0", "run_ended", {{"state", "succeeded"}});
  add(sweep_, "sweep-a", "sweep_stopped", {{"token", "a"}, {"message", "stopped"}});
  EXPECT_EQ(load_ledger(point_)->back().fields.at("state"), "succeeded");
}

TEST_F(SweepLedger, PointsAreKnownByTheirFolder) {
  EXPECT_EQ(point_.point(), 6);
  EXPECT_EQ(point_.run_id(), "search-00000001/6");
  EXPECT_EQ(point_.sweep().root(), sweep_.root());
  EXPECT_FALSE(sweep_.point());
  EXPECT_FALSE(RunFolder("/runs/points/fit-00000001").point());
  EXPECT_FALSE(RunFolder("/runs/points/07").point());
}

}  // namespace
}  // namespace ddp
