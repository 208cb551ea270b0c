#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <ctime>

#include "jobenv/agent/socket_address.hpp"
#include "jobenv/record/file_descriptor.hpp"
#include "tests/unit/agent/agent_process.hpp"
#include "tests/unit/agent/eventually.hpp"
#include "tests/unit/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

/// Starts the tasks of all nodes on this machine, each under the name of its node, and ends them all when one
/// of them fails or it is told to end, as srun does.
constexpr const char* kFakeSrun = R"(#!/bin/bash
for word; do
  case $word in
    --ntasks=*) tasks=${word#*=} ;;
    --ntasks-per-node=*) per_node=${word#*=} ;;
    --*) ;;
    *) break ;;
  esac
done
agent=${*: -2:1}
echo "$DDPSUBMIT_HEAD" > "$FAKE/endpoints"
[ -z "$FAKE_SRUN_FAILS" ] || exit 5
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null' TERM
start_agent() { SLURMD_NODENAME=node$1 "$agent" "${@:2}" & pids+=($!); echo $! >> "$FAKE/agents"; }
if [ -n "$FAKE_NODE_ROLE" ]; then
  for ((node = 0; node < tasks / per_node; node++)); do
    start_agent $((node + 1)) node --run-dir "$DDPSUBMIT_RUN_DIR" --node-rank $node
  done
else
  export SLURM_STEP_ID=0 SLURM_NTASKS=$tasks SLURM_TASKS_PER_NODE=$per_node\(x$((tasks / per_node))\)
  for ((rank = 0; rank < tasks; rank++)); do
    export SLURM_PROCID=$rank SLURM_LOCALID=$((rank % per_node)) SLURM_NODEID=$((rank / per_node))
    start_agent $((SLURM_NODEID + 1)) task
  done
fi
code=0
for ((left = ${#pids[@]}; left > 0; left--)); do
  wait -n || { code=$?; kill -TERM "${pids[@]}" 2>/dev/null; }
done
exit $code
)";

/// Knows no end of the job, and its step until the last agent is gone.
constexpr const char* kFakeSqueue = R"(#!/bin/bash
[ "$1" = --steps ] || { sleep 0.1; echo N/A; exit; }
echo batch
for pid in $(cat "$FAKE/agents"); do
  [ ! -e /proc/$pid ] || echo ddp-agent
done
echo asked >> "$FAKE/questions"
)";

constexpr const char* kSleep = "echo $$ >> pids; exec sleep 1000";
constexpr const char* kSleepWithOrphan =
    "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids; trap '' TERM; while :; do sleep "
    "1000; done";

/// `ddp-agent head` with launcher slurm and a stand-in for srun: the way over TCP without Slurm.
class SlurmHead : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(run_.beside("bin"));
    install("srun", kFakeSrun);
    install("squeue", kFakeSqueue);
    env_ = EnvMap::capture();
    env_.set("PATH", run_.beside("bin").string() + ":" + env_.get("PATH").value_or(""));
    env_.set("FAKE", run_.beside(""));
  }
  void install(const std::string& name, const std::string& text) {
    const auto path = run_.beside("bin") / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  LaunchPlan plan(int nodes, int tasks_per_node, const std::string& script) const {
    LaunchPlan plan = make_plan(run_.path(), tasks_per_node, script);
    plan.launcher = "slurm";
    plan.nodes = nodes;
    plan.agent = DDP_AGENT_PATH;
    plan.stop_signal = "USR2";
    plan.grace_period = std::chrono::seconds(600);
    return plan;
  }
  void start(const LaunchPlan& plan, const std::string& node = "node1") {
    run_.save(plan);
    ranks_ = static_cast<std::size_t>(plan.nodes * plan.tasks_per_node);
    env_.set("SLURM_JOB_ID", "42");
    env_.set("SLURM_JOB_NODELIST", plan.nodes == 1 ? "node1" : "node[1-" + std::to_string(plan.nodes) + "]");
    env_.set("SLURM_JOB_NUM_NODES", std::to_string(plan.nodes));
    env_.set("SLURMD_NODENAME", "node1");
    head_.emplace(std::vector<std::string>{"head", "--run-dir", run_.path(), "--node", node}, env_);
  }
  int run(const LaunchPlan& plan) {
    start(plan);
    return head_->wait();
  }

  std::vector<int> agents() const { return read_numbers(run_.beside("agents")); }
  bool ranks_are_there(std::size_t count) const {
    return eventually([&] { return read_numbers(run_.path() / "pids").size() >= count; }) &&
           eventually([&] { return run_.events("rank_started").size() == ranks_; });
  }
  void expect_all_gone() const {
    for (const auto& file : {run_.path() / "pids", run_.beside("agents")}) {
      for (const int pid : read_numbers(file)) {
        EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << "process " << pid << " of " << file;
      }
    }
  }
  [[nodiscard]] std::string state() const { return run_.run_end().value("state", ""); }
  [[nodiscard]] std::string message() const { return run_.run_end().value("message", ""); }

  RunFixture run_;
  EnvMap env_;
  std::optional<AgentProcess> head_;
  std::size_t ranks_ = 0;
};

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
  EXPECT_EQ(message(), "all 3 ranks ended well after 1 restart");
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

TEST_F(SlurmHead, TheStopSignalLongBeforeTheEndIsPreemption) {
  env_.set("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600));
  start(plan(1, 1, "trap 'exit 0' USR2; echo $$ >> pids; while :; do sleep 0.01; done"));
  ASSERT_TRUE(ranks_are_there(1));
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "preempted");
}

TEST_F(SlurmHead, SqueueIsAskedForTheEndWhereSlurmDoesNotSayIt) {
  install("squeue", "#!/bin/sh\n[ \"$*\" = '-h -j 42 -o %e' ] && date -d '+1 hour' +%Y-%m-%dT%H:%M:%S\n");
  install("srun", std::string("#!/bin/bash\nsleep 1\n") + kFakeSrun);
  EXPECT_EQ(run(plan(1, 1, "echo $((DDPSUBMIT_DEADLINE - $(date +%s)))")), 0) << message();
  const int left = std::atoi(read_file(run_.folder().out(0, 0)).c_str());
  EXPECT_GT(left, 3000);
  EXPECT_LE(left, 3600);
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
  EXPECT_EQ(message(), "srun ended with exit code 5 before any rank had an agent");
}

TEST_F(SlurmHead, NamesTheTasksThatNeverCame) {
  install("srun", "#!/bin/sh\nexec sleep 1000\n");
  LaunchPlan impatient = plan(1, 2, kSleep);
  impatient.rendezvous_timeout = std::chrono::seconds(1);
  EXPECT_EQ(run(impatient), 1);
  EXPECT_EQ(message(), "0 of 2 ranks have connected; missing: 0, 1; nobody from node1");
}

TEST_F(SlurmHead, AStopWhileSrunStartsEndsSrun) {
  install("srun", "#!/bin/sh\necho $$ >> \"$FAKE/agents\"\nexec sleep 1000\n");
  start(plan(1, 2, kSleep));
  ASSERT_TRUE(eventually([&] { return agents().size() == 1; }));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(message(), "interrupted by TERM before the ranks had started");
  expect_all_gone();
}

constexpr const char* kScontrol = R"(#!/bin/sh
echo "$*" >> "$FAKE/asked"
if [ "$1" = requeue ]; then echo "$FAKE_REFUSAL" >&2; [ -z "$FAKE_REFUSAL" ]; else echo "JobId=42 $FAKE_JOB"; fi
)";

class RequeuedSlurmHead : public SlurmHead {
 protected:
  /// A command that sleeps until it is stopped, in a job of which scontrol says `job`.
  void start_in(const std::string& job, ProgramKind program = ProgramKind::command) {
    install("scontrol", kScontrol);
    env_.set("FAKE_JOB", job);
    LaunchPlan requeued = plan(1, 2, kSleep);
    requeued.requeue = true;
    requeued.program = program;
    if (program == ProgramKind::trainer) requeued.signal_lead = std::chrono::seconds(1);
    start(requeued);
    ASSERT_TRUE(ranks_are_there(2));
  }
  [[nodiscard]] std::string asked() const { return read_file(run_.beside("asked")); }
  [[nodiscard]] nlohmann::json requeued() const {
    const auto events = run_.events("requeued");
    return events.size() == 1 ? events[0].fields : nlohmann::json::object();
  }
  [[nodiscard]] std::string outcome() const {
    return run_.events("attempt_ended").at(0).fields.at("outcome");
  }
};

TEST_F(RequeuedSlurmHead, AsksForARequeueAfterTheStopSignal) {
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(asked(), "--oneliner show job 42\nrequeue 42\n");
  EXPECT_EQ(outcome(), "timed_out");
  EXPECT_EQ(requeued().value("reason", ""), "time_limit");
  EXPECT_EQ(requeued().value("message", ""), "requeued at its time limit; attempt 1 follows");
  EXPECT_EQ(state(), "") << "the last word is the next attempt's";
  expect_all_gone();
}

TEST_F(RequeuedSlurmHead, NamesTheTaskOfAnArray) {
  env_.set("SLURM_ARRAY_JOB_ID", "40");
  env_.set("SLURM_ARRAY_TASK_ID", "3");
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(asked(), "--oneliner show job 40_3\nrequeue 40_3\n");
}

TEST_F(RequeuedSlurmHead, RepeatsSlurmsWordsWhenItRefuses) {
  env_.set("FAKE_REFUSAL", "slurm_requeue error: Job is pending execution");
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_TRUE(message().ends_with(
      "; Slurm did not start the job again: slurm_requeue error: Job is pending execution"))
      << message();
  EXPECT_EQ(run_.events("requeue_refused").size(), 1u);
}

TEST_F(RequeuedSlurmHead, LeavesItToSlurmWhenTermMeansThatItStartsTheJobAgain) {
  start_in("JobState=COMPLETING Restarts=1");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(requeued().value("reason", ""), "taken_back");
  EXPECT_EQ(asked().find("requeue"), std::string::npos);
  EXPECT_EQ(state(), "");
}

/// Slurm's answers, one after the other; the last one stays.
constexpr const char* kChangingScontrol = R"(#!/bin/sh
echo "$*" >> "$FAKE/asked"
line=$(head -n 1 "$FAKE/answers")
[ $(wc -l < "$FAKE/answers") = 1 ] || sed -i 1d "$FAKE/answers"
eval "$line"
)";

class PatientSlurmHead : public RequeuedSlurmHead {
 protected:
  void start_with_answers(const std::string& lines) {
    start_in("");
    std::ofstream(run_.beside("answers")) << lines;
    install("scontrol", kChangingScontrol);
  }
};

TEST_F(PatientSlurmHead, AsksAgainWhenSlurmDoesNotAnswer) {
  start_with_answers("exit 1\nexit 1\necho JobId=42 JobState=COMPLETING Restarts=1\n");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(state(), "");
}

TEST_F(PatientSlurmHead, WaitsUntilSlurmHasNoticedTheLostNode) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\necho JobId=42 JobState=RUNNING Restarts=0\n"
      "echo JobId=42 JobState=COMPLETING Restarts=1\n");
  kill(agents().at(1), SIGKILL);  // its srun sends TERM to the others: head asks a first time
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "failed");
  EXPECT_EQ(requeued().value("reason", ""), "taken_back");
  ASSERT_EQ(run_.events("waiting").size(), 1u);
  EXPECT_NE(run_.events("waiting")[0].fields.at("message").get<std::string>().find("whether a node is lost"),
            std::string::npos);
}

TEST_F(PatientSlurmHead, ALateAnswerStillNamesTheStop) {
  start_with_answers("sleep 3; echo JobId=42 JobState=COMPLETING Restarts=1\n");
  std::ofstream(run_.folder().job_output("42"), std::ios::app)
      << "slurmstepd: error: *** JOB 42 ON node1 CANCELLED AT 2026-11-21T23:06:42 DUE TO JOB REQUEUE ***\n";
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(requeued().value("message", ""), "requeued from outside (scontrol requeue); attempt 1 follows");
}

TEST_F(PatientSlurmHead, ALostAnswerToTheRequeueIsNoRefusal) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\nexit 1\nexit 1\n"
      "echo JobId=42 JobState=PENDING Restarts=1\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_TRUE(run_.events("requeue_refused").empty());
}

TEST_F(PatientSlurmHead, ARequestThatWasLostIsMadeAgain) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\nexit 1\necho JobId=42 JobState=RUNNING Restarts=0\n"
      "true\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(asked(), "--oneliner show job 42\nrequeue 42\n--oneliner show job 42\nrequeue 42\n");
  EXPECT_EQ(run_.events("requeued").size(), 1u);
}

TEST_F(PatientSlurmHead, ALaterClaimTakesTheWordFromThisHead) {
  start_with_answers("mkdir -p \"$FAKE/run/attempts/1\"; echo JobId=42 JobState=RUNNING Restarts=0\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(asked(), "--oneliner show job 42\n");
  EXPECT_TRUE(run_.events("requeued").empty());
  EXPECT_EQ(state(), "");
}

TEST_F(RequeuedSlurmHead, NeverComesBackFromACancel) {
  start_in("JobState=COMPLETING Restarts=0 PreemptTime=None");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(asked().find("requeue"), std::string::npos);
}

TEST_F(RequeuedSlurmHead, DoesNotRepeatAnAttemptWithoutProgress) {
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None", ProgramKind::trainer);
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_NE(message().find("; not requeued: no checkpoint was written since this start of the job; "),
            std::string::npos)
      << message();
  EXPECT_NE(message().find("fault_tolerance.signal_lead is 1s: set at least"), std::string::npos)
      << message();
}

TEST_F(RequeuedSlurmHead, TellsOfAnAttemptThatLeftNoEnd) {
  ASSERT_TRUE(run_.folder().claim_attempt("nonce", "42", 0));
  EXPECT_EQ(run(plan(1, 1, "true")), 0);
  EXPECT_EQ(run_.events("attempt_ended").at(0).fields.at("attempt"), 0);
  EXPECT_EQ(outcome(), "lost");
}

TEST_F(RequeuedSlurmHead, DoesNotRunAnEndedRunAgain) {
  const LaunchPlan ended = plan(1, 1, "echo ran >> ran");
  EXPECT_EQ(run(ended), 0);
  env_.set("SLURM_RESTART_COUNT", "1");
  EXPECT_EQ(run(ended), 0);
  EXPECT_EQ(run_.events("head_started").size(), 1u);
  EXPECT_EQ(read_file(run_.path() / "ran"), "ran\n");
}

TEST(TaskAgent, SaysWhatIsMissing) {
  AgentProcess agent({"task"}, EnvMap::capture());
  EXPECT_NE(agent.wait(), 0);
}

}  // namespace
}  // namespace ddp::agent
