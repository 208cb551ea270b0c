#include "cli/launch/state/resolve_status.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

/// squeue that, while it is asked, lets head write a word.
class LateRunner final : public CommandRunner {
 public:
  LateRunner(RunFolder folder, std::string event, nlohmann::json fields)
      : folder_(std::move(folder)), event_(std::move(event)), fields_(std::move(fields)) {}

  [[nodiscard]] Expected<CommandResult> run(const CommandRequest&) override {
    auto ledger = LedgerWriter::open(folder_, "head-0");
    (void)ledger->append(event_, fields_);
    CommandResult result;
    result.out = "5|5|COMPLETED|N/A|N/A|None||somebody|job|\n";
    return result;
  }
  [[nodiscard]] Expected<int> start_daemon(const DaemonRequest&) override { return 1; }
  void reap(int) override {}

 private:
  RunFolder folder_;
  std::string event_;
  nlohmann::json fields_;
};

class ResolveStatusTest : public testing::Test {
 protected:
  RunPointer make_run(const std::string& id, const std::string& launcher, const nlohmann::json& submitted) {
    const RunFolder run(folder / id);
    EXPECT_TRUE(run.create());
    auto ledger = LedgerWriter::open(run, "submit");
    EXPECT_TRUE(ledger->append("submit_intent", {{"token", "t"}, {"launcher", launcher}}));
    EXPECT_TRUE(ledger->append("submitted", submitted));
    return {.run_id = id,
            .name = "job",
            .run_dir = run.root(),
            .launcher = launcher,
            .job_id = {},
            .created = {}};
  }

  TemporaryFolder folder;
  FakeSystem outside;
};

TEST_F(ResolveStatusTest, AsksSlurmOnceForAllRuns) {
  const std::vector<RunPointer> runs{make_run("a", "slurm", {{"job_id", "1"}}),
                                     make_run("b", "slurm", {{"job_id", "2"}})};
  outside.runner.answer(
      0, "1|1|RUNNING|N/A|N/A|None||somebody|job|\n2|2|PENDING|N/A|N/A|Priority||somebody|job|\n");
  const auto known = resolve_runs(runs, {outside.system(), EnvMap()});
  EXPECT_EQ(outside.runner.requests.size(), 1u);
  EXPECT_EQ(known.at(0).status.state, RunState::running);
  EXPECT_EQ(known.at(1).status.state, RunState::queued);
  EXPECT_EQ(known.at(1).status.message, "jobs with higher priority start before it (Slurm: Priority)");
}

TEST_F(ResolveStatusTest, AsksNobodyAboutARunThatHasEnded) {
  const auto run = make_run("a", "slurm", {{"job_id", "1"}});
  auto ledger = LedgerWriter::open(RunFolder(run.run_dir), "head-0");
  ASSERT_TRUE(ledger->append("run_ended", {{"state", "failed"}, {"exit_code", 1}}));
  EXPECT_EQ(resolve_run(run, {outside.system(), EnvMap()}).status.state, RunState::failed);
  EXPECT_TRUE(outside.runner.requests.empty());
}

TEST_F(ResolveStatusTest, SaysOfARequeuedJobWhyItWaitsAgain) {
  const auto run = make_run("a", "slurm", {{"job_id", "1"}});
  auto ledger = LedgerWriter::open(RunFolder(run.run_dir), "head-0");
  ASSERT_TRUE(ledger->append("head_started", {{"attempt", 0}}));
  ASSERT_TRUE(ledger->append("requeued", {{"attempt", 0}, {"message", "requeued after step 9"}}));
  outside.runner.answer(0, "1|1|COMPLETING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "1|1|PENDING|N/A|N/A|BeginTime||somebody|job|\n");
  const auto leaving = resolve_run(run, {outside.system(), EnvMap()}).status;
  EXPECT_EQ(leaving.state, RunState::queued);
  EXPECT_EQ(leaving.message, "requeued after step 9");
  EXPECT_EQ(resolve_run(run, {outside.system(), EnvMap()}).status.message,
            "requeued after step 9; Slurm holds it until its start time (Slurm: BeginTime)");
}

TEST_F(ResolveStatusTest, SaysWhatHeadWaitsForWhileItsJobRunsOn) {
  const auto run = make_run("a", "slurm", {{"job_id", "1"}});
  auto ledger = LedgerWriter::open(RunFolder(run.run_dir), "head-0");
  ASSERT_TRUE(ledger->append("head_started", {{"attempt", 0}}));
  ASSERT_TRUE(ledger->append("waiting", {{"attempt", 0}, {"message", "held for an answer of Slurm"}}));
  outside.runner.answer(0, "1|1|RUNNING|N/A|N/A|None||somebody|job|\n");
  const auto status = resolve_run(run, {outside.system(), EnvMap()}).status;
  EXPECT_EQ(status.state, RunState::running);
  EXPECT_EQ(status.message, "held for an answer of Slurm");
}

TEST_F(ResolveStatusTest, PrefersTheLastWordOfHeadThatCameMeanwhile) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  LateRunner late{RunFolder(run.run_dir),
                  "run_ended",
                  {{"state", "timed_out"}, {"exit_code", 1}, {"message", "head said so"}}};
  const auto known = resolve_run(run, {{late, outside.clock, outside.host}, EnvMap()});
  EXPECT_EQ(known.status.state, RunState::timed_out);
  EXPECT_EQ(known.status.message, "head said so");
}

TEST_F(ResolveStatusTest, ShowsTheEndOfTheLogOfAJobThatHeadDidNotSee) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  ASSERT_TRUE(save_file(RunFolder(run.run_dir).root() / "logs/slurm-5.out", "module: not found\n",
                        Durability::visible));
  outside.runner.answer(0, "5|5|FAILED|N/A|1799999000|NonZeroExitCode||somebody|job|\n");
  const auto known = resolve_run(run, {outside.system(), EnvMap()});
  EXPECT_EQ(known.status.state, RunState::failed);
  ASSERT_TRUE(known.status.cause);
  EXPECT_EQ(known.status.cause->stderr_tail, "module: not found");
  EXPECT_FALSE(known.status.cause->rank);
}

TEST_F(ResolveStatusTest, WritesDownAnEndThatItProves) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  ASSERT_TRUE(save_file(RunFolder(run.run_dir).root() / "logs/slurm-5.out", "module: not found\n",
                        Durability::visible));
  outside.runner.answer(0, "5|5|FAILED|N/A|1799999000|NonZeroExitCode||somebody|job|\n");
  const auto proved = resolve_run(run, {outside.system(), EnvMap()});
  const auto asked = outside.runner.requests.size();
  const auto later = resolve_run(run, {outside.system(), EnvMap()});
  EXPECT_EQ(outside.runner.requests.size(), asked) << "nobody is asked again";
  EXPECT_EQ(later.status.state, RunState::failed);
  EXPECT_EQ(later.status.message, proved.status.message);
  EXPECT_EQ(later.status.exit_code, 1);
  EXPECT_EQ(later.status.ended, std::chrono::system_clock::time_point(std::chrono::seconds(1'799'999'000)));
  ASSERT_TRUE(later.status.cause);
  EXPECT_EQ(later.status.cause->stderr_tail, "module: not found");
}

TEST_F(ResolveStatusTest, DoesNotMissAJobThatWasAliveAMomentAgo) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  const RunFolder run_folder(run.run_dir);
  ASSERT_TRUE(save_file(run_folder.secrets(), "{}", Durability::visible));
  const auto nobody_knows_it = [this] {
    outside.runner.answer(1, "", "Invalid job id specified");
    outside.runner.answer(1, "", "Invalid job id specified");
    outside.runner.answer(0, "ClusterName = a\nMinJobAge = 300 sec\n");
    outside.runner.answer(1, "", "Slurm accounting storage is disabled");
  };
  nobody_knows_it();
  RealClock today;
  const auto now = resolve_run(run, {{outside.runner, today, outside.host}, EnvMap()}).status;
  EXPECT_EQ(now.state, RunState::unknown);
  EXPECT_EQ(load_ledger(run_folder)->size(), 2u) << "nothing is written down";
  EXPECT_TRUE(std::filesystem::exists(run_folder.secrets()));
  nobody_knows_it();
  const auto in_years = resolve_run(run, {outside.system(), EnvMap()}).status;
  EXPECT_EQ(in_years.state, RunState::failed);
  EXPECT_FALSE(std::filesystem::exists(run_folder.secrets()));
}

TEST_F(ResolveStatusTest, WritesNothingDownWhileNobodyKnows) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  outside.runner.answer(1, "", "Unable to contact slurm controller (connect failure)");
  EXPECT_EQ(resolve_run(run, {outside.system(), EnvMap()}).status.state, RunState::unknown);
  outside.runner.answer(0, "5|5|RUNNING|N/A|N/A|None||somebody|job|\n");
  EXPECT_EQ(resolve_run(run, {outside.system(), EnvMap()}).status.state, RunState::running);
}

TEST_F(ResolveStatusTest, ForgetsWhatItSawWhenTheNextAttemptHasBegunMeanwhile) {
  const auto run = make_run("a", "slurm", {{"job_id", "5"}});
  LateRunner late{RunFolder(run.run_dir), "head_started", {{"attempt", 0}, {"host", "n1"}}};
  const auto known = resolve_run(run, {{late, outside.clock, outside.host}, EnvMap()});
  EXPECT_EQ(known.status.state, RunState::running);
  EXPECT_EQ(load_recorded_status(run).state, RunState::running);
}

TEST_F(ResolveStatusTest, FindsTheCheckpointAndTheProgressOfATrainingThatHasEnded) {
  const auto run = make_run("a", "local", {{"pid", 5}});
  const RunFolder run_folder(run.run_dir);
  auto ledger = LedgerWriter::open(run_folder, "head-0");
  ASSERT_TRUE(ledger->append("head_started", {{"attempt", 0}}));
  ASSERT_TRUE(ledger->append("run_ended", {{"state", "cancelled"}, {"exit_code", 130}}));
  std::filesystem::create_directories(run_folder.checkpoints() / "step-00000040-a0");
  ASSERT_TRUE(
      save_file(run_folder.checkpoints() / "step-00000040-a0/manifest.json", "{}", Durability::visible));
  ASSERT_TRUE(save_file(run_folder.checkpoints() / "LATEST", "step-00000040-a0\n", Durability::visible));
  ASSERT_TRUE(save_file(run_folder.metrics(),
                        R"({"kind":"train","attempt":0,"step":41,"epoch":1,"loss":2})"
                        "\n",
                        Durability::visible));
  const auto known_of = [&](ProgramKind program, int indent = 2) {
    LaunchPlan plan;
    plan.run_id = "a";
    plan.run_dir = run.run_dir;
    plan.launcher = "local";
    plan.program = program;
    plan.argv = {"true"};
    plan.set = {{"program", "trainer"}};
    plan.work_dir = plan.submit_dir = plan.agent = "/";
    EXPECT_TRUE(save_file(run_folder.plan(), to_json(plan).dump(indent), Durability::visible));
    return resolve_run(run, {outside.system(), EnvMap()});
  };
  const auto known = known_of(ProgramKind::trainer);
  ASSERT_TRUE(known.checkpoint);
  EXPECT_EQ(known.checkpoint->step, 40u);
  ASSERT_TRUE(known.progress);
  EXPECT_EQ(known.progress->step, 41);
  EXPECT_FALSE(known_of(ProgramKind::command).checkpoint) << "not the trainer's folder";
  constexpr int kOneLine = -1;
  EXPECT_TRUE(known_of(ProgramKind::trainer, kOneLine).checkpoint);
  EXPECT_FALSE(known_of(ProgramKind::command, kOneLine).checkpoint);
}

TEST_F(ResolveStatusTest, LooksAtTheExitRecordsWhereTheLedgerIsDamaged) {
  const auto run = make_run("a", "local", {{"pid", 5}});
  const RunFolder run_folder(run.run_dir);
  auto ledger = LedgerWriter::open(run_folder, "head-0");
  ASSERT_TRUE(ledger->append("head_started", {{"attempt", 0}}));
  std::ofstream(run_folder.ledger_of("head-0"), std::ios::app) << std::string(50, '\0') << '\n';
  ASSERT_TRUE(ledger->append("run_ended", {{"state", "succeeded"}, {"exit_code", 0}, {"attempt", 0}}));
  std::vector<std::string> notes;
  const LauncherSeams seams{outside.system(), EnvMap({{"XDG_STATE_HOME", folder.path()}}),
                            [&notes](std::string_view line) { notes.emplace_back(line); }};
  std::filesystem::create_directories(folder / "ddpsubmit");
  ConfirmedSuccesses confirmed(folder / "ddpsubmit/confirmed");
  confirmed.add(run_folder, 0);
  confirmed.save();
  StatusResolver resolver(seams);
  EXPECT_EQ(resolver.resolve(run).state, RunState::unknown);
  EXPECT_EQ(resolver.resolve(run).state, RunState::unknown);
  EXPECT_EQ(notes, std::vector<std::string>{"warning: " + run_folder.ledger_of("head-0").string() +
                                            ":2 cannot be read: the line is ignored"})
      << "once";
}

TEST_F(ResolveStatusTest, ConfirmsASuccessOnce) {
  const auto run = make_run("a", "local", {{"pid", 5}});
  const RunFolder run_folder(run.run_dir);
  auto ledger = LedgerWriter::open(run_folder, "head-0");
  ASSERT_TRUE(ledger->append("head_started", {{"attempt", 0}}));
  ASSERT_TRUE(ledger->append("run_ended", {{"state", "succeeded"}, {"exit_code", 0}, {"attempt", 0}}));
  const LauncherSeams seams{outside.system(), EnvMap({{"XDG_STATE_HOME", folder.path()}})};
  std::filesystem::create_directories(folder / "ddpsubmit");
  EXPECT_EQ(resolve_run(run, seams).status.state, RunState::unknown) << "no rank has left a record";
  ConfirmedSuccesses confirmed(folder / "ddpsubmit/confirmed");
  confirmed.add(run_folder, 0);
  confirmed.save();
  EXPECT_EQ(resolve_run(run, seams).status.state, RunState::succeeded);
}

TEST_F(ResolveStatusTest, KnowsNothingOfAFolderThatIsGone) {
  const auto run = make_run("a", "local", {{"pid", 5}});
  std::filesystem::remove_all(run.run_dir);
  const auto known = resolve_run(run, {outside.system(), EnvMap()});
  EXPECT_EQ(known.status.state, RunState::unknown);
  EXPECT_NE(known.status.message.find("is gone"), std::string::npos);
}

TEST_F(ResolveStatusTest, TellsOfAJobWhoseFolderIsGone) {
  auto run = make_run("a", "slurm", {{"job_id", "7"}});
  run.job_id = "7";
  std::filesystem::remove_all(run.run_dir);
  outside.runner.answer(0, "7|7|RUNNING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "7|7|COMPLETED|N/A|N/A|None||somebody|job|\n");
  const auto running = resolve_run(run, {outside.system(), EnvMap()}).status;
  EXPECT_EQ(running.state, RunState::running);
  EXPECT_NE(running.message.find("is gone; its job 7 still exists"), std::string::npos);
  EXPECT_EQ(resolve_run(run, {outside.system(), EnvMap()}).status.state, RunState::unknown);
}

}  // namespace
}  // namespace ddp::cli
