#include <sys/socket.h>

#include <csignal>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/unit/jobenv/agent/head/slurm_head_fixture.hpp"

namespace ddp::agent {
namespace {

TEST_F(SlurmHead, RunsOneAgentARank) {
  EXPECT_EQ(run(plan(1, 3, "echo rank $RANK on $DDPSUBMIT_NODE_NAME of job $SLURM_JOB_ID")), 0) << message();
  EXPECT_EQ(state(), "succeeded");
  EXPECT_EQ(read_file(run_.folder().out(0, 2)), "rank 2 on node1 of job 42\n");
  EXPECT_EQ(agents().size(), 3u);
  EXPECT_EQ(run_.events("head_started")[0].fields.at("job_id"), "42");
  EXPECT_EQ(run_.events("attempt_started")[0].fields.at("master_address"), "127.0.0.1");
  EXPECT_EQ(run_.exit_record(2).host, "node1");
  expect_all_gone();
}

TEST_F(SlurmHead, RunsOnSeveralNodesOverAnAddressThatAllCanReach) {
  if (resolve_local_addresses().empty())
    GTEST_SKIP() << "this machine has no network interface besides the loopback";
  EXPECT_EQ(run(plan(2, 2, "echo rank $RANK local $LOCAL_RANK node $NODE_RANK at $DDPSUBMIT_INTERFACE")), 0)
      << message();
  const auto started = run_.events("attempt_started")[0].fields;
  EXPECT_EQ(started.at("hosts"), (nlohmann::json{"node1", "node2"}));
  const std::string address = started.at("master_address");
  EXPECT_FALSE(address.starts_with("127."));
  EXPECT_EQ(read_file(run_.folder().out(0, 3)), "rank 3 local 1 node 1 at " + address + "\n");
}

TEST_F(SlurmHead, RunsOneAgentANode) {
  if (resolve_local_addresses().empty())
    GTEST_SKIP() << "this machine has no network interface besides the loopback";
  env_.set("FAKE_NODE_ROLE", "1");
  EXPECT_EQ(run(plan(2, 2, "echo rank $RANK on $DDPSUBMIT_NODE_NAME")), 0) << message();
  EXPECT_EQ(agents().size(), 2u);
  EXPECT_EQ(read_file(run_.folder().out(0, 2)), "rank 2 on node2\n");
}

TEST_F(SlurmHead, NamesTheRankThatFailed) {
  EXPECT_EQ(run(plan(1, 3, "echo $$ >> pids; [ $RANK = 2 ] || exec sleep 1000; echo broken >&2; exit 4")), 1);
  EXPECT_EQ(message(), "rank 2 on node1 ended with exit code 4; the other 2 ranks were stopped");
  EXPECT_EQ(run_.run_end().at("cause").at("stderr_tail"), "broken\n");
  expect_all_gone();
}

TEST_F(SlurmHead, StrangersDoNotDisturb) {
  start(plan(1, 2, "echo $$ >> pids; until [ -e leave ]; do sleep 0.01; done"));
  ASSERT_TRUE(ranks_are_there(2));
  std::string endpoint = read_file(run_.beside("endpoints"));
  endpoint.pop_back();
  const auto address = SocketAddress::parse(std::string_view(endpoint));
  ASSERT_TRUE(address) << endpoint;
  std::vector<FileDescriptor> strangers;
  for (const std::string& word :
       {std::string(), std::string("GET / HTTP/1.1\r\n\r\n"), std::string(1 << 20, 'x'),
        std::string("wrong\n{\"schema\":\"drained\"}\n"), std::string(4096, '\0')}) {
    FileDescriptor& stranger =
        strangers.emplace_back(::socket(address->family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(stranger.get(), address->data(), address->size()), 0);
    (void)send(stranger.get(), word.data(), word.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  std::ofstream(run_.path() / "leave") << "";
  EXPECT_EQ(head_->wait(), 0) << message();
}

TEST_F(SlurmHead, WhenARankIsKilledItIsNamed) {
  start(plan(1, 3, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(6));
  int victim = 0;
  for (const LedgerEvent& event : run_.events("rank_started")) {
    if (event.fields.at("rank") == 1) victim = event.fields.at("pid");
  }
  kill(victim, SIGKILL);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(message(), "rank 1 on node1 was killed by signal 9 (KILL); the other 2 ranks were stopped");
  expect_all_gone();
}

TEST_F(SlurmHead, WhenAnAgentIsKilledTheRunFailsAndNothingIsLeft) {
  start(plan(1, 3, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(6));
  kill(agents().at(1), SIGKILL);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "failed");
  EXPECT_TRUE(message().starts_with("lost the agent on node1: ")) << message();
  expect_all_gone();
}

TEST_F(SlurmHead, AnAttemptThatFollowsRunsInTheSameAgents) {
  LaunchPlan restarting = plan(1, 3, "[ $DDPSUBMIT_ATTEMPT = 1 ] || exit 4");
  restarting.max_restarts = 1;
  EXPECT_EQ(run(restarting), 0) << message();
  EXPECT_EQ(message(), "3 ranks finished, 1 restart");
  EXPECT_EQ(agents().size(), 3u) << "srun was started once";
  EXPECT_FALSE(std::filesystem::exists(run_.beside("questions")));
  expect_all_gone();
}

TEST_F(SlurmHead, WhenAnAgentIsKilledANewSrunFollowsWhenTheStepIsGone) {
  LaunchPlan restarting =
      plan(1, 3, std::string("[ $DDPSUBMIT_ATTEMPT = 0 ] || exit 0; ") + kSleepWithOrphan);
  restarting.max_restarts = 1;
  start(restarting);
  ASSERT_TRUE(ranks_are_there(6));
  kill(agents().at(1), SIGKILL);
  EXPECT_EQ(head_->wait(), 0) << message();
  EXPECT_TRUE(run_.events("restarting")[0].fields.at("message").get<std::string>().starts_with(
      "lost the agent on node1: "));
  EXPECT_EQ(agents().size(), 6u) << "srun was started twice";
  EXPECT_GE(read_file(run_.beside("questions")).size(), 1u);
  expect_all_gone();
}

TEST_F(SlurmHead, ASrunThatDoesNotComeUpIsReplacedToo) {
  LaunchPlan restarting = plan(1, 2, kSleep);
  restarting.max_restarts = 2;
  restarting.rendezvous_timeout = std::chrono::seconds(1);
  const std::string hangs =
      "#!/bin/bash\necho $$ >> \"$FAKE/sruns\"\n"
      "[ $(wc -l < \"$FAKE/sruns\") = 1 ] || exec sleep 1000\n";
  install("srun", hangs + kFakeSrun);
  start(restarting);
  ASSERT_TRUE(ranks_are_there(2));
  kill(agents().at(1), SIGKILL);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(read_numbers(run_.beside("sruns")).size(), 3u) << message();
  for (const int pid : read_numbers(run_.beside("sruns"))) EXPECT_FALSE(is_running(pid));
  EXPECT_NE(message().find("0 of 2 ranks have connected"), std::string::npos) << message();
  expect_all_gone();
}

TEST_F(SlurmHead, AStopSignalThatSetUpLinesHaveSwallowedIsMadeUpFor) {
  const std::string end = "date -d '+30 seconds' +%Y-%m-%dT%H:%M:%S";
  install("squeue", "#!/bin/sh\n[ \"$*\" = '-h -j 42 -o %e' ] && " + end + "\n");
  LaunchPlan limited = plan(1, 1, "trap 'exit 0' USR2; echo $$ >> pids; while :; do sleep 0.01; done");
  limited.time_limit = std::chrono::seconds(120);
  limited.signal_lead = std::chrono::seconds(60);
  EXPECT_EQ(run(limited), 1);
  EXPECT_EQ(state(), "timed_out") << message();
}

TEST_F(SlurmHead, AStopWhileTheStepIsAwaitedEndsTheRun) {
  LaunchPlan restarting = plan(1, 2, kSleep);
  restarting.max_restarts = 1;
  install("squeue",
          "#!/bin/bash\n[ \"$1\" != --steps ] || { echo asked >> \"$FAKE/questions\"; echo ddp-agent; }\n");
  start(restarting);
  ASSERT_TRUE(ranks_are_there(2));
  kill(agents().at(1), SIGKILL);
  ASSERT_TRUE(eventually([&] { return read_file(run_.beside("questions")).size() > 12; })) << "asked again";
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(agents().size(), 2u);
  expect_all_gone();
}

TEST_F(SlurmHead, WhenHeadIsKilledTheAgentsKillTheirRanks) {
  start(plan(1, 3, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(6));
  head_->send(SIGKILL);
  EXPECT_EQ(head_->wait(), 128 + SIGKILL);
  expect_all_gone();
  EXPECT_EQ(run_.exit_record(2).ended_by, EndedBy::agent);
}

TEST_F(SlurmHead, ASignalToEverythingIsAnInterrupt) {
  start(plan(1, 2, kSleep));
  ASSERT_TRUE(ranks_are_there(2));
  for (const int pid : read_numbers(run_.path() / "pids")) kill(pid, SIGTERM);
  for (const int pid : agents()) kill(pid, SIGTERM);
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(state(), "cancelled");
  expect_all_gone();
}

TEST_F(SlurmHead, ASignalToTheStepAloneIsPreemption) {
  start(plan(1, 2, kSleep));
  ASSERT_TRUE(ranks_are_there(2));
  for (const int pid : read_numbers(run_.path() / "pids")) kill(pid, SIGTERM);
  for (const int pid : agents()) kill(pid, SIGTERM);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "preempted");
  expect_all_gone();
}

TEST_F(SlurmHead, TheStopSignalIsForwardedToCommandsAndMeansTheTimeLimit) {
  start(plan(1, 2, "trap 'echo heard; exit 0' USR2; echo $$ >> pids; while :; do sleep 0.01; done"));
  ASSERT_TRUE(ranks_are_there(2));
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_EQ(read_file(run_.folder().out(0, 1)), "heard\n");
}

TEST_F(SlurmHead, SqueueIsAskedForTheEndWhereSlurmDoesNotSayIt) {
  install("squeue", "#!/bin/sh\n[ \"$*\" = '-h -j 42 -o %e' ] && date -d '+1 hour' +%Y-%m-%dT%H:%M:%S\n");
  install("srun", std::string("#!/bin/bash\nsleep 1\n") + kFakeSrun);
  EXPECT_EQ(run(plan(1, 1, "echo $((DDPSUBMIT_DEADLINE - $(date +%s)))")), 0) << message();
  const int left = std::atoi(read_file(run_.folder().out(0, 0)).c_str());
  EXPECT_GT(left, 3000);
  EXPECT_LE(left, 3600);
}

TEST_F(SlurmHead, SqueueIsNotAskedForTheEndThatTheEnvironmentNames) {
  install("squeue", "#!/bin/sh\necho \"$*\" >> \"$FAKE/squeues\"\n");
  env_.set("SLURM_JOB_END_TIME", "1900000000");
  EXPECT_EQ(run(plan(1, 1, "echo $DDPSUBMIT_DEADLINE")), 0) << message();
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "1900000000\n");
  EXPECT_EQ(read_file(run_.beside("squeues")), "");
}

/// In job 42, of a run whose newest attempt job 41 has claimed.
class SlurmHeadWithARival : public SlurmHead {
 protected:
  void SetUp() override {
    SlurmHead::SetUp();
    ASSERT_EQ(run_.folder().claim_attempt("nonce", "41", 0), 0);
  }
  /// What scontrol answers.
  int run_beside(const std::string& fields) {
    install("scontrol", "#!/bin/sh\necho \"$*\" >> \"$FAKE/asked\"\n" + fields);
    return run(plan(1, 1, "true"));
  }
  [[nodiscard]] std::string job_41(const std::string& state, const std::string& output) const {
    return "echo JobId=41 JobState=" + state + " StdIn=/dev/null StdOut=" + output + " Power=\n";
  }
  [[nodiscard]] std::string own_output() const { return run_.folder().job_output("slurm", "41"); }
};

TEST_F(SlurmHeadWithARival, EndsWhileThatRuns) {
  for (const auto* state : {"RUNNING", "SUSPENDED"}) {
    EXPECT_EQ(run_beside(job_41(state, own_output())), 1);
    EXPECT_EQ(run_.folder().highest_attempt(), 0) << state;
    EXPECT_TRUE(agents().empty());
  }
  EXPECT_EQ(read_file(run_.beside("asked")), "--oneliner show job 41\n--oneliner show job 41\n");
}

TEST_F(SlurmHeadWithARival, RunsWhenThatHasEnded) {
  EXPECT_EQ(run_beside(job_41("COMPLETING", own_output())), 0);
  EXPECT_EQ(run_.folder().highest_attempt(), 1);
}

TEST_F(SlurmHeadWithARival, RunsWhenItsIdIsThatOfAnotherJobNow) {
  EXPECT_EQ(run_beside(job_41("RUNNING", "/home/somebody/slurm-41.out")), 0);
}

TEST_F(SlurmHeadWithARival, RunsWhenSlurmIsSilent) {
  EXPECT_EQ(run_beside("exec sleep 1000\n"), 0) << "after ten seconds";
}

TEST_F(SlurmHeadWithARival, RunsWithoutAQuestionWhenThatHasToldItsEnd) {
  auto ledger = LedgerWriter::open(run_.folder(), "head-0");
  ASSERT_TRUE(ledger &&
              ledger->append("run_ended", {{"attempt", 0}, {"state", "cancelled"}, {"exit_code", 5}}));
  EXPECT_EQ(run_beside(job_41("RUNNING", own_output())), 0);
  EXPECT_EQ(read_file(run_.beside("asked")), "");
}

TEST_F(SlurmHeadWithARival, EndsWhenThatHasEndedTheRunOfTheSameSubmission) {
  auto ledger = LedgerWriter::open(run_.folder(), "head-0");
  ASSERT_TRUE(ledger && ledger->append("head_started", {{"attempt", 0}, {"token", "cafe"}}) &&
              ledger->append("run_ended", {{"attempt", 0}, {"state", "succeeded"}, {"exit_code", 0}}));
  env_.set("DDPSUBMIT_TOKEN", "cafe");
  EXPECT_EQ(run_beside(""), 0);
  EXPECT_EQ(run_.folder().highest_attempt(), 0);
  env_.set("DDPSUBMIT_TOKEN", "beef");
  EXPECT_EQ(run_beside(""), 0);
  EXPECT_EQ(run_.folder().highest_attempt(), 1) << "a rerun";
  EXPECT_EQ(run_.events("head_started").back().fields.at("token"), "beef");
}

TEST_F(SlurmHeadWithARival, ASignalWhileItAsksStopsTheRun) {
  install("scontrol", "#!/bin/sh\necho $$ >> \"$FAKE/asked\"\nexec sleep 1000\n");
  start(plan(1, 1, kSleep));
  ASSERT_TRUE(eventually([&] { return !read_file(run_.beside("asked")).empty(); }));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  expect_all_gone();
}

TEST_F(SlurmHead, RefusesAnotherNode) {
  start(plan(1, 1, kSleep), "node2");
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(message(), "scontrol says that the first node is node2, SLURM_JOB_NODELIST says node1");
  EXPECT_EQ(run_.events("attempt_ended").at(0).fields.at("outcome"), "failed");
  EXPECT_EQ(run_.run_end().at("attempt"), 0);
  EXPECT_TRUE(agents().empty());
}

TEST_F(SlurmHead, SaysThatThereIsNoSrun) {
  env_.set("PATH", run_.beside("nowhere"));
  EXPECT_EQ(run(plan(1, 1, kSleep)), 1);
  EXPECT_EQ(message(), "cannot start 'srun': No such file or directory");
}

TEST_F(SlurmHead, SaysThatSrunFailed) {
  env_.set("FAKE_SRUN_FAILS", "1");
  EXPECT_EQ(run(plan(1, 2, kSleep)), 1);
  EXPECT_EQ(message(), "srun ended with exit code 5 before any agent had connected");
}

TEST_F(SlurmHead, NamesTheTasksThatNeverCame) {
  install("srun", "#!/bin/sh\nexec sleep 1000\n");
  LaunchPlan impatient = plan(1, 2, kSleep);
  impatient.rendezvous_timeout = std::chrono::seconds(1);
  EXPECT_EQ(run(impatient), 1);
  EXPECT_EQ(message(), "0 of 2 ranks have connected; missing: 0, 1; no agent from node1");
}

TEST_F(SlurmHead, AStopWhileSrunStartsEndsSrun) {
  install("srun", "#!/bin/sh\necho $$ >> \"$FAKE/agents\"\nexec sleep 1000\n");
  start(plan(1, 2, kSleep));
  ASSERT_TRUE(eventually([&] { return agents().size() == 1; }));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(message(), "cancelled outside ddpsubmit (Slurm sent SIGTERM) before the ranks had started");
  expect_all_gone();
}

}  // namespace
}  // namespace ddp::agent
