#include "cli/launchers/slurm/submission/token_lookup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobTokens, AreReadFromTheCommentsOfJobs) {
  const auto jobs = parse_job_tokens(
      "CLUSTER: a\n9|(null)\n10|ddpsubmit:cafe\n11|ddpsubmit:beef; billed to x\n12|\n|ddpsubmit:cafe\n"
      "13|other:cafe");
  EXPECT_EQ(jobs, (JobsByToken{{"cafe", {"10"}}, {"beef", {"11"}}, {"", {"9", "12", "13"}}}));
}

TEST(JobTokens, AreThoseOfOneArrayOnce) {
  EXPECT_EQ(parse_job_tokens("7|ddpsubmit:cafe\n7|ddpsubmit:cafe\n"), (JobsByToken{{"cafe", {"7"}}}));
}

TEST(JobTokens, AreSortedByTheAgeOfTheJobs) {
  EXPECT_EQ(parse_job_tokens("10|ddpsubmit:cafe\n9|ddpsubmit:cafe\n"), (JobsByToken{{"cafe", {"9", "10"}}}));
}

std::chrono::system_clock::time_point at(std::int64_t time) {
  return std::chrono::system_clock::time_point(seconds(time));
}

// As squeue 22.05 prints it.
constexpr const char* kLogs =
    "2                       1795290600              /runs/my run-1/logs/slurm-%A_%a.out   \n"
    "2                       1795290600              /runs/my run-1/logs/slurm-%A_%a.out   \n"
    "1                       1795290500              /runs/100%%/logs/slurm-%j.out         \n"
    "slurm_load_jobs error\n";

TEST(JobLogs, AreReadFromWhatSqueueSaysOfStdout) {
  EXPECT_THAT(parse_job_logs(kLogs),
              ElementsAre(JobLog{"2", at(1795290600), "/runs/my run-1/logs/slurm-%A_%a.out"},
                          JobLog{"1", at(1795290500), "/runs/100%%/logs/slurm-%j.out"}));
}

TEST(JobLogs, TellTheJobsOfARunFolder) {
  const auto logs = parse_job_logs(kLogs);
  const LostJob sweep{"aa", RunFolder("/runs/my run-1"), at(1795290600)};
  EXPECT_THAT(find_by_log(sweep, logs, {}), ElementsAre("2"));
  EXPECT_THAT(find_by_log(sweep, logs, {"2"}), IsEmpty()) << "its submission has had its answer";
  EXPECT_THAT(find_by_log({"aa", RunFolder("/runs/my run-1"), at(1795300000)}, logs, {}), IsEmpty());
  EXPECT_THAT(find_by_log({"aa", RunFolder("/runs/my run"), {}}, logs, {}), IsEmpty());
  EXPECT_THAT(find_by_log({"aa", RunFolder("/runs/100%"), {}}, logs, {}), ElementsAre("1"));
}

TEST(JobLogs, AreAskedForAsWideAsTheFoldersTake) {
  const LostJob narrow{"aa", RunFolder("/r/a"), {}};
  const LostJob wide{"bb", RunFolder("/r/100%"), {}};
  EXPECT_EQ(log_format(std::vector{narrow}), "ArrayJobID:24,SubmitTime:24,STDOUT:16");
  EXPECT_EQ(log_format(std::vector{narrow, wide}), "ArrayJobID:24,SubmitTime:24,STDOUT:20");
  const auto cut = parse_job_logs("3 1795290600 /r/100%%/logs/slurm-\n4 1795290600 /r/a/logs/slurm-%j.o\n");
  EXPECT_THAT(find_by_log(wide, cut, {}), ElementsAre("3"));
  EXPECT_THAT(find_by_log(narrow, cut, {}), ElementsAre("4"));
}

class LookForJobsTest : public testing::Test {
 protected:
  std::vector<JobSighting> look(const std::vector<std::string>& tokens, seconds patience = seconds{60}) {
    const SlurmTools tools({outside.system(), EnvMap().set("PATH", "/usr/bin"),
                            [this](std::string_view line) { notes.emplace_back(line); }});
    std::vector<LostJob> lost;
    for (const auto& token : tokens) lost.push_back({token, RunFolder("/runs/" + token), {}});
    return look_for_jobs(lost, patience, tools);
  }
  void stay_silent() {
    outside.runner.answer(1, "",
                          "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
  }

  FakeSystem outside;
  std::vector<std::string> notes;
};

TEST_F(LookForJobsTest, FindsAllWithOneQuestion) {
  outside.runner.answer(0, "5|ddpsubmit:aa\n6|ddpsubmit:bb\n");
  const auto sightings = look({"bb", "aa"});
  ASSERT_EQ(outside.runner.requests.size(), 1u);
  EXPECT_THAT(outside.runner.requests[0].argv,
              ElementsAre("squeue", "--me", "--noheader", "--all", "--states=all", "--format=%F|%k"));
  EXPECT_EQ(sightings.at(0).job_id, "6");
  EXPECT_EQ(sightings.at(1).job_id, "5");
}

TEST_F(LookForJobsTest, TakesAJobForAbsentOnlyAfterASecondAnswer) {
  outside.runner.answer(0, "");
  outside.runner.answer(0, "5|ddpsubmit:aa\n");
  EXPECT_EQ(look({"aa"}).front().job_id, "5");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  EXPECT_EQ(look({"aa"}).front().presence, JobPresence::absent);
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(LookForJobsTest, KnowsAJobWithoutItsCommentByItsLog) {
  const auto look_with = [this](std::string logs) {
    for (int answer = 0; answer < 2; ++answer) outside.runner.answer(0, "5|project x\n6|ddpsubmit:bb\n");
    outside.runner.answer(0, std::move(logs));
    return look({"aa", "bb"});
  };
  const auto sightings = look_with("5 1795290600 /runs/aa/logs/slurm-%j.out\n");
  EXPECT_EQ(sightings.at(0).job_id, "5");
  EXPECT_EQ(sightings.at(1).job_id, "6");
  EXPECT_EQ(look_with("5 1795290600 /home/u/slurm-5.out\n").at(0).presence, JobPresence::absent);
  outside.runner.answer(0, "5|project x\n");
  outside.runner.answer(0, "5|project x\n");
  stay_silent();
  EXPECT_EQ(look({"aa"}).at(0).presence, JobPresence::unknown);
}

TEST_F(LookForJobsTest, StartsCountingAnewAfterASilence) {
  outside.runner.answer(0, "");
  stay_silent();
  outside.runner.answer(0, "");
  outside.runner.answer(0, "5|ddpsubmit:aa\n");
  EXPECT_EQ(look({"aa"}).front().presence, JobPresence::found);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("Slurm does not answer; looking for the job for 58 s")));
}

TEST_F(LookForJobsTest, GivesUpWhenThePatienceIsOver) {
  for (int question = 0; question < 100; ++question) stay_silent();
  const auto sighting = look({"aa"}, seconds{10}).front();
  EXPECT_EQ(sighting.presence, JobPresence::unknown);
  EXPECT_THAT(sighting.words, HasSubstr("connect failure"));
  EXPECT_EQ(outside.runner.requests.size(), 6u);
}

TEST_F(LookForJobsTest, WithoutPatienceAsksOnceAndSaysNothing) {
  stay_silent();
  EXPECT_EQ(look({"aa"}, seconds{0}).front().presence, JobPresence::unknown);
  EXPECT_EQ(outside.runner.requests.size(), 1u);
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
