#include "cli/launchers/slurm/query/slurm_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SlurmObserverTest : public testing::Test {
 protected:
  std::vector<Observation> observe(const std::vector<RunStatus>& runs) { return observer.observe(runs); }
  static RunStatus job(const std::string& id) {
    RunStatus status;
    status.state = RunState::queued;
    status.job_id = id;
    return status;
  }
  static RunStatus running_job(const std::string& id) {
    auto status = job(id);
    status.state = RunState::running;
    status.head.emplace();
    return status;
  }
  void queue_shows(std::string lines) { outside.runner.answer(0, std::move(lines)); }
  void nobody_knows_it() {
    outside.runner.answer(1, "", "slurm_load_jobs error: Invalid job id specified\n");
  }
  void config_says(const std::string& cluster = "a") {
    outside.runner.answer(0,
                          "ClusterName             = " + cluster + "\nMinJobAge               = 300 sec\n");
  }
  void no_accounts() { outside.runner.answer(1, "", "Slurm accounting storage is disabled\n"); }
  std::vector<std::string> asked(std::size_t index) const { return outside.runner.requests.at(index).argv; }
  std::size_t questions() const { return outside.runner.requests.size(); }

  FakeSystem outside;
  SlurmObserver observer{
      SlurmTools({outside.system(), EnvMap({{"PATH", "/usr/bin"}, {"SLURM_TIME_FORMAT", "x"}})})};
};

TEST_F(SlurmObserverTest, AsksOneQuestionForAllRuns) {
  queue_shows("11|11|RUNNING|N/A|N/A|None||ann|job|\n12|12|PENDING|N/A|N/A|Resources||ann|job|\n");
  const auto observations = observe({job("11"), job(""), job("12")});
  EXPECT_EQ(questions(), 1u);
  EXPECT_THAT(asked(0), ElementsAre("squeue", "--noheader", "--all", "--states=all",
                                    "--format=%i|%A|%T|%S|%e|%r|%V|%u|%j|%k", "--me"));
  EXPECT_EQ(outside.runner.requests[0].environment.get("SLURM_TIME_FORMAT"), "%s");
  EXPECT_EQ(observations.at(0).state, RunState::running);
  EXPECT_EQ(observations.at(1).state, RunState::queued) << "as its records said";
  EXPECT_EQ(observations.at(2).state, RunState::queued);
}

TEST_F(SlurmObserverTest, AsksForOneJobAlone) {
  queue_shows("11|11|RUNNING|N/A|N/A|None||ann|job|\n");
  EXPECT_EQ(observe({job("11")}).at(0).state, RunState::running);
  EXPECT_EQ(asked(0).back(), "--jobs=11");
}

TEST_F(SlurmObserverTest, AsksNothingWithoutJobs) {
  EXPECT_EQ(observe({job("")}).size(), 1u);
  EXPECT_EQ(questions(), 0u);
}

TEST_F(SlurmObserverTest, AsksTheControllerOnceForAllThatTheQueueDoesNotShow) {
  queue_shows("13|13|RUNNING|N/A|N/A|None||ann|job|\n");
  outside.runner.answer(0, "JobId=11 JobState=TIMEOUT Reason=TimeLimit EndTime=1795290827\n");
  config_says();
  no_accounts();
  const auto observations = observe({job("11"), job("12"), job("13")});
  EXPECT_EQ(questions(), 4u);
  EXPECT_THAT(asked(1), ElementsAre("scontrol", "--all", "--oneliner", "show", "jobs"));
  EXPECT_EQ(observations.at(0).state, RunState::timed_out);
  EXPECT_EQ(observations.at(0).source, "scontrol");
  EXPECT_EQ(observations.at(0).ended,
            std::chrono::system_clock::time_point(std::chrono::seconds(1795290827)));
  EXPECT_EQ(observations.at(1).state, RunState::failed);
  EXPECT_EQ(observations.at(2).state, RunState::running);
}

TEST_F(SlurmObserverTest, DoesNotAskForEverybodysJobsBecauseManyAreForgotten) {
  std::vector<RunStatus> runs;
  for (int id = 1; id <= 9; ++id) runs.push_back(job(std::to_string(id)));
  queue_shows("");
  config_says();
  no_accounts();
  const auto observations = observe(runs);
  EXPECT_EQ(questions(), 3u);
  EXPECT_EQ(observations.at(8).source, "squeue");
}

TEST_F(SlurmObserverTest, ConfirmsThatAJobIsGone) {
  nobody_knows_it();
  nobody_knows_it();
  config_says();
  no_accounts();
  const auto observation = observe({job("11")}).at(0);
  EXPECT_EQ(observation.state, RunState::failed);
  EXPECT_THAT(observation.message, HasSubstr("Slurm no longer knows job 11"));
  EXPECT_THAT(asked(1), ElementsAre("scontrol", "--all", "--oneliner", "show", "job", "11"));
}

TEST_F(SlurmObserverTest, TakesAJobThatWasCancelledBeforeItStartedForCancelled) {
  nobody_knows_it();
  nobody_knows_it();
  config_says();
  no_accounts();
  auto status = job("11");
  status.cancel_requested = true;
  EXPECT_EQ(observe({status}).at(0).message, "cancelled before it started");
}

TEST_F(SlurmObserverTest, RemembersThatNobodyKeepsAccounts) {
  for (int time = 0; time < 2; ++time) {
    nobody_knows_it();
    nobody_knows_it();
    if (time == 0) config_says();
    if (time == 0) no_accounts();
    EXPECT_EQ(observe({running_job("11")}).at(0).state, RunState::failed);
  }
  EXPECT_EQ(questions(), 6u);
}

TEST_F(SlurmObserverTest, AsksTheAccountsOnceSinceTheOldestSubmission) {
  queue_shows("");
  outside.runner.answer(0, "No jobs in the system\n");
  config_says();
  outside.runner.answer(
      0,
      "11|11|NODE_FAIL|1799996400|1799998000|ann|job|\n11|11|CANCELLED by 0|1799996500|1799999000|ann|job|\n"
      "12|12|COMPLETED|1700000000|1700000100|ann|job|\n");
  auto first = running_job("11");
  first.submitted = outside.clock.now() - std::chrono::hours(1);
  auto second = running_job("12");
  second.submitted = outside.clock.now() - std::chrono::minutes(5);
  const auto observations = observe({first, second});
  EXPECT_THAT(asked(3), ElementsAre("sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                                    "--format=JobID,JobIDRaw,State,Submit,End,User,JobName,Comment",
                                    "--jobs=11,12", "--starttime=now-62minutes"));
  EXPECT_EQ(observations.at(0).state, RunState::cancelled);
  EXPECT_EQ(observations.at(0).source, "sacct");
  EXPECT_THAT(observations.at(1).message, HasSubstr("no longer knows")) << "an older job had that id";
}

TEST_F(SlurmObserverTest, AsksForTheExitCodeOfAJobThatHasFailed) {
  queue_shows("11|11|FAILED|N/A|N/A|NonZeroExitCode||ann|job|\n");
  outside.runner.answer(0, "JobId=11 JobName=job JobState=FAILED ExitCode=73:0 UserId=ann(1)\n");
  const auto observation = observe({job("11")}).at(0);
  EXPECT_THAT(asked(1), ElementsAre("scontrol", "--all", "--oneliner", "show", "job", "11"));
  EXPECT_EQ(observation.state, RunState::failed);
  EXPECT_THAT(observation.message, HasSubstr("could not start an attempt"));
}

TEST_F(SlurmObserverTest, AFailedJobWithoutAnExitCodeHasFailedAllTheSame) {
  queue_shows("11|11|FAILED|N/A|N/A|NonZeroExitCode||ann|job|\n");
  nobody_knows_it();
  const auto observation = observe({job("11")}).at(0);
  EXPECT_EQ(observation.state, RunState::failed);
  EXPECT_EQ(observation.source, "squeue");
}

TEST_F(SlurmObserverTest, TakesNoEndForOneWhileSlurmMayRequeue) {
  queue_shows("11|11|NODE_FAIL|N/A|1799999990|NodeDown||ann|job|\n");
  outside.runner.answer(0, "JobId=11 JobState=NODE_FAIL Reason=NodeDown Requeue=1 EndTime=1799999990\n");
  const auto observation = observe({running_job("11")}).at(0);
  EXPECT_EQ(observation.state, RunState::unknown);
  EXPECT_EQ(observation.message, "Slurm says NODE_FAIL, but may requeue the job");
  queue_shows("11|11|NODE_FAIL|N/A|1799999990|NodeDown||ann|job|\n");
  outside.runner.answer(0, "JobId=11 JobState=NODE_FAIL Reason=NodeDown Requeue=0 EndTime=1799999990\n");
  EXPECT_EQ(observe({running_job("11")}).at(0).state, RunState::failed);
}

TEST_F(SlurmObserverTest, DoesNotGuessWhileSlurmIsSilent) {
  const auto silent = [this] {
    outside.runner.answer(1, "",
                          "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
    return observe({job("11")}).at(0);
  };
  const auto first = silent();
  EXPECT_EQ(first.state, RunState::unknown);
  EXPECT_TRUE(first.unanswered);
  EXPECT_THAT(first.message,
              testing::ContainsRegex("^Slurm has not answered since ..:..:..: .*connect failure"));
  outside.clock.sleep(std::chrono::minutes(5));
  EXPECT_EQ(silent().message, first.message) << "it still counts from the first time";
  outside.clock.sleep(std::chrono::seconds(2));
  queue_shows("11|11|RUNNING|N/A|N/A|None||ann|job|\n");
  EXPECT_EQ(observe({job("11")}).at(0).state, RunState::running);
  EXPECT_NE(silent().message, first.message);
}

TEST_F(SlurmObserverTest, DoesNotAskAgainWhoHasJustBeenSilent) {
  outside.runner.answers.push_back({.end = CommandResult::End::timed_out, .code = 9, .out = {}, .err = {}});
  EXPECT_THAT(observe({job("11")}).at(0).message, HasSubstr("no answer in time"));
  const std::vector runs{job("11")};
  EXPECT_THAT(observer.find_jobs(runs).error().message, HasSubstr("no answer in time"));
  EXPECT_EQ(questions(), 1u);
  outside.clock.sleep(std::chrono::seconds(1));
  queue_shows("11|11|RUNNING|N/A|N/A|None||ann|job|\n");
  EXPECT_EQ(observe(runs).at(0).state, RunState::running);
}

TEST_F(SlurmObserverTest, SaysInOneLineThatThereIsNoConfiguration) {
  outside.runner.answer(1, "",
                        "squeue: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host\n"
                        "squeue: error: fetch_config: DNS SRV lookup failed\n"
                        "squeue: fatal: Could not establish a configuration source\n");
  EXPECT_THAT(observe({job("11")}).at(0).message,
              HasSubstr(": this host has Slurm's programs, but no slurm.conf that they can read (squeue: "
                        "fatal: Could not establish a configuration source)"));
}

TEST_F(SlurmObserverTest, DoesNotMissAJobThatIsOnAnotherCluster) {
  nobody_knows_it();
  nobody_knows_it();
  config_says("b");
  auto run = running_job("11");
  run.cluster = "a";
  const auto observation = observe({run}).at(0);
  EXPECT_EQ(observation.state, RunState::unknown);
  EXPECT_THAT(observation.message, HasSubstr("ask on a host of cluster a"));
  EXPECT_EQ(questions(), 3u);
}

TEST_F(SlurmObserverTest, TellsAnAbsenceFromAnEnd) {
  nobody_knows_it();
  nobody_knows_it();
  config_says();
  no_accounts();
  EXPECT_EQ(observe({running_job("11")}).at(0).counts_after, std::chrono::seconds(300));
}

TEST_F(SlurmObserverTest, ProvesNothingWhileTheAccountsAreSilent) {
  nobody_knows_it();
  nobody_knows_it();
  config_says();
  outside.runner.answer(1, "", "sacct: error: Problem talking to the database: Connection refused\n");
  const auto observation = observe({running_job("11")}).at(0);
  EXPECT_EQ(observation.state, RunState::failed);
  EXPECT_EQ(observation.source, "") << "they may yet say how it ended";
}

}  // namespace
}  // namespace ddp::cli
