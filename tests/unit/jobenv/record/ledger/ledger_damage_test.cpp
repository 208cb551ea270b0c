#include "jobenv/record/ledger/ledger_damage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/submission_token.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

using nlohmann::json;
using Story = std::vector<std::string>;

/// A run of Slurm whose ledger of submissions is damaged.
class LedgerDamage : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(run_.create()); }

  void write_script(const std::string& token) {
    ASSERT_TRUE(save_file(run_.script(),
                          "#!/bin/bash\n\n#SBATCH --job-name=job\n#SBATCH --comment=ddpsubmit:" + token +
                              "\n#SBATCH --nodes=1\n",
                          Durability::visible));
  }
  void write(const std::string& text) { std::ofstream(run_.ledger_of("submit"), std::ios::app) << text; }
  static std::string intent(const std::string& second, const std::string& token) {
    return json{{"time", "2026-01-01T00:00:" + second + ".000Z"},
                {"event", "submit_intent"},
                {"launcher", "slurm"},
                {"token", token}}
               .dump() +
           "\n";
  }
  static std::string submitted(const std::string& second, const std::string& job) {
    return json{{"time", "2026-01-01T00:00:" + second + ".000Z"}, {"event", "submitted"}, {"job_id", job}}
               .dump() +
           "\n";
  }
  /// What a head says of the job that has started it.
  void write_head(const std::string& second, const std::string& job) {
    const auto line = [&second](json fields) {
      fields["time"] = "2026-01-01T00:00:" + second + ".000Z";
      return fields.dump() + "\n";
    };
    std::ofstream(run_.ledger_of("head-" + job)) << line({{"event", "head_started"}, {"job_id", job}})
                                                 << line({{"event", "run_ended"}, {"state", "succeeded"}});
  }
  /// The file server's clock is behind.
  void set_back(const std::string& writer) const {
    using Clock = std::filesystem::file_time_type::clock;
    const auto long_ago = Clock::from_sys(std::chrono::system_clock::time_point{});
    std::filesystem::last_write_time(run_.ledger_of(writer), long_ago);
  }
  /// "event token" of each event.
  [[nodiscard]] Story story() const {
    Story story;
    const auto events = load_ledger(run_).value();
    for (const auto& event : events) story.push_back(event.event + " " + event.fields.value("token", ""));
    return story;
  }

  TemporaryFolder home_;
  RunFolder run_{home_ / "run"};
};

TEST_F(LedgerDamage, LosesNoSubmissionWhoseScriptIsThere) {
  write_script("00000000000000bb");
  EXPECT_EQ(load_script_token(run_), "00000000000000bb");
  write(intent("01", "aa") + submitted("02", "7") + std::string(200, '\0') + "\n" + submitted("04", "8"));
  EXPECT_EQ(story(), (Story{"submit_intent aa", "submitted ", "submit_intent 00000000000000bb",
                            "damaged_lines ", "submitted "}));
  EXPECT_EQ(load_ledger(run_)->at(2).fields.at("recovered"), true);
}

TEST_F(LedgerDamage, MakesNoSubmissionOfOneThatIsKnown) {
  write_script("00000000000000aa");
  write(intent("01", "00000000000000aa") + "garbage\n");
  EXPECT_EQ(story(), (Story{"submit_intent 00000000000000aa", "damaged_lines "}));
  write_script("00000000000000bb");
  std::filesystem::resize_file(run_.ledger_of("submit"), 0);
  write(intent("01", "00000000000000aa"));
  EXPECT_EQ(story(), (Story{"submit_intent 00000000000000aa"})) << "nothing is lost: it was not begun";
}

TEST_F(LedgerDamage, PutsALostSubmissionBehindTheEndOfTheRunBefore) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + submitted("02", "7") + "garbage\n");
  write_head("03", "7");
  set_back("submit");
  const Story behind{
      "submit_intent aa", "submitted ", "head_started ", "run_ended ", "submit_intent 00000000000000bb",
      "damaged_lines "};
  EXPECT_EQ(story(), behind);
  const auto events = *load_ledger(run_);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &LedgerEvent::time));
}

TEST_F(LedgerDamage, PutsALostSubmissionBeforeItsOwnHead) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + submitted("02", "7") + "garbage\n");
  write_head("03", "7");
  write_head("04", "8");
  set_back("submit");
  EXPECT_EQ(story(),
            (Story{"submit_intent aa", "submitted ", "head_started ", "run_ended ",
                   "submit_intent 00000000000000bb", "damaged_lines ", "head_started ", "run_ended "}));
}

TEST_F(LedgerDamage, PutsALostSubmissionBehindTheAnswerToTheOneBefore) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + "garbage\n");
  std::ofstream(run_.ledger_of("found-1-1"))
      << R"({"time":"2026-01-01T00:00:02.000Z","event":"submitted","token":"aa","job_id":"7"})" << '\n';
  write_head("03", "7");
  set_back("submit");
  EXPECT_EQ(story(), (Story{"submit_intent aa", "submitted aa", "head_started ", "run_ended ",
                            "submit_intent 00000000000000bb", "damaged_lines "}));
}

TEST_F(LedgerDamage, PutsALostSubmissionAtTheEndWhereTheJobBeforeIsNotKnown) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + "garbage\n");
  write_head("03", "7");
  set_back("submit");
  EXPECT_EQ(story(), (Story{"submit_intent aa", "head_started ", "run_ended ",
                            "submit_intent 00000000000000bb", "damaged_lines "}));
}

TEST_F(LedgerDamage, MayBeYoungerThanWhatTheLostSubmissionHasTold) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + submitted("02", "7") + "garbage\n");
  write_head("03", "7");
  write_head("04", "8");
  const Story ended{
      "submit_intent aa", "submitted ",    "head_started ", "run_ended ", "submit_intent 00000000000000bb",
      "damaged_lines ",   "head_started ", "run_ended "};
  EXPECT_EQ(story(), ended) << "the damage is of now";
  EXPECT_TRUE(std::ranges::is_sorted(*load_ledger(run_), {}, &LedgerEvent::time));
}

TEST_F(LedgerDamage, KnowsTheHeadOfALostSubmissionByItsAnswer) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + "garbage\n");
  write_head("03", "7");
  write_head("04", "8");
  std::ofstream(run_.ledger_of("found-1-1"))
      << R"({"time":"2026-01-01T00:00:05.000Z","event":"submitted","token":"00000000000000bb","job_id":"8"})"
      << '\n';
  EXPECT_EQ(story(),
            (Story{"submit_intent aa", "head_started ", "run_ended ", "submit_intent 00000000000000bb",
                   "damaged_lines ", "head_started ", "run_ended ", "submitted 00000000000000bb"}));
}

TEST_F(LedgerDamage, OfACancelThatDoesNotSayOfWhatIsOneOfALostSubmission) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + submitted("02", "7") + "garbage\n");
  write_head("03", "7");
  std::ofstream(run_.ledger_of("cancel-7-1")) << "garbage\n";
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(is_cancel_requested(*load_ledger(run_))) << round;
    EXPECT_TRUE(is_cancel_requested(*load_ledger(run_), "00000000000000bb")) << round;
    EXPECT_TRUE(std::ranges::is_sorted(*load_ledger(run_), {}, &LedgerEvent::time)) << round;
    set_back("submit");
  }
}

TEST_F(LedgerDamage, OfACancelIsOneOfTheSubmissionInItsName) {
  write(intent("01", "aa") + submitted("02", "7"));
  const std::string writer = "cancel-aa-7-1";
  std::ofstream(run_.ledger_of(writer)) << "garbage\n";
  set_back(writer);
  EXPECT_TRUE(is_cancel_requested(*load_ledger(run_)));
  EXPECT_TRUE(is_cancel_requested(*load_ledger(run_), "aa"));
  write(intent("03", "bb"));
  EXPECT_FALSE(is_cancel_requested(*load_ledger(run_)));
  EXPECT_FALSE(is_cancel_requested(*load_ledger(run_), "bb"));
}

TEST_F(LedgerDamage, OfACancelIsAsYoungAsItsName) {
  write(intent("01", "aa"));
  for (const auto& [writer, is_cancel] : {std::pair("cancel-7-1767225600000", false),
                                          {"cancel-7-99999999999999", false},
                                          {"cancel-7-1767225602000", true}}) {
    std::ofstream(run_.ledger_of(writer)) << "garbage\n";
    set_back(writer);
    EXPECT_EQ(is_cancel_requested(*load_ledger(run_)), is_cancel) << writer;
    std::filesystem::remove(run_.ledger_of(writer));
  }
}

TEST_F(LedgerDamage, KnowsTheJobsOfTheSubmissionBeforeAndTheirTwins) {
  write_script("00000000000000bb");
  write(intent("01", "aa"));
  write(R"({"time":"2026-01-01T00:00:02.000Z","event":"submitted","job_id":"7","twins":["9"]})");
  write("\ngarbage\n");
  write_head("03", "9");
  EXPECT_EQ(story(), (Story{"submit_intent aa", "submitted ", "head_started ", "run_ended ",
                            "submit_intent 00000000000000bb", "damaged_lines "}));
}

TEST_F(LedgerDamage, BeforeAnIntentThatCanBeReadHidesNoneOfAYoungerScript) {
  write_script("00000000000000bb");
  write(intent("01", "aa") + "garbage\n" + intent("02", "cc"));
  EXPECT_EQ(story(), (Story{"submit_intent aa", "damaged_lines ", "submit_intent cc"}));
}

TEST_F(LedgerDamage, ShowsTheTokenOfATornIntentAndRecoversNothingWithoutScriptAndPlan) {
  write(R"({"time":"2026-01-01T00:00:01.000Z","event":"submit_intent","launcher":"slurm","token":"aa","us)");
  write("\n");
  EXPECT_EQ(story(), (Story{"damaged_lines aa"}));
}

TEST_F(LedgerDamage, OfALaterIntentDoesNotMakeAnEarlierCancelItsOwn) {
  write_script("00000000000000bb");
  write(intent("01", "aa"));
  std::ofstream(run_.ledger_of("cancel-1-1"))
      << R"({"time":"2026-01-01T00:00:02.000Z","event":"cancel_requested","token":"aa"})" << '\n';
  EXPECT_TRUE(is_cancel_requested(*load_ledger(run_)));
  write("garbage\n");
  EXPECT_FALSE(is_cancel_requested(*load_ledger(run_)));
}

TEST_F(LedgerDamage, IsDescribedByItsPlace) {
  write("garbage\ngarbage\n" + intent("01", "aa") + "garbage\n");
  const auto place = run_.ledger_of("submit").string();
  EXPECT_EQ(describe_damage(*load_ledger(run_)),
            (Story{place + ":1 and 1 more cannot be read: the lines are ignored",
                   place + ":4 cannot be read: the line is ignored"}));
}

}  // namespace
}  // namespace ddp
