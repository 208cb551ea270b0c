#include "cli/commands/complete/complete_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/commands/registry.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/use_launcher.hpp"

namespace ddp::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A user in a folder with configurations and runs.
class CompleteLineTest : public testing::Test {
 protected:
  using Strings = std::vector<std::string>;

  Candidates candidates(const Strings& words) { return complete_line(commands, words, context); }
  Strings complete(const Strings& words) {
    Strings found;
    for (const auto& candidate : candidates(words)) found.push_back(candidate.word);
    return found;
  }
  std::string doc_of(const Strings& words, const std::string& word) {
    for (const auto& candidate : candidates(words)) {
      if (candidate.word == word) return candidate.doc;
    }
    return "no such candidate";
  }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder / file).parent_path());
    ASSERT_TRUE(save_file(folder / file, text, Durability::visible));
  }
  void add_run(const std::string& id) { write("state/ddpsubmit/runs/" + id + ".json", "not even JSON"); }
  /// `age` is how long ago it was started.
  void save_pointer(const std::string& id, std::chrono::seconds age = {}) {
    const auto store = RunStore::open(context.environment).value();
    ASSERT_TRUE(store.save({.run_id = id,
                            .name = "job",
                            .run_dir = folder_of(id).root(),
                            .launcher = "local",
                            .job_id = {},
                            .created = std::chrono::system_clock::now() - age}));
    std::filesystem::last_write_time(store.path_of(id), std::filesystem::file_time_type::clock::now() - age);
  }
  [[nodiscard]] RunFolder folder_of(const std::string& id) const {
    return RunFolder(folder / ("runs/" + id));
  }
  static void submit(const RunFolder& run) {
    ASSERT_TRUE(run.create());
    ASSERT_TRUE(
        LedgerWriter::open(run, "submit")->append("submit_intent", {{"token", "t"}, {"launcher", "local"}}));
  }
  static void end(const RunFolder& run) {
    ASSERT_TRUE(
        LedgerWriter::open(run, "submit")->append("run_ended", {{"state", "failed"}, {"exit_code", 1}}));
  }
  /// Whose points are submitted.
  void add_sweep(const std::string& id, int points, std::chrono::seconds age = {}) {
    save_pointer(id, age);
    const auto sweep = folder_of(id);
    ASSERT_TRUE(sweep.create());
    SweepRecord record{.keys = {"train.seed"}, .points = {}, .at_once = {}};
    for (int point = 0; point < points; ++point) record.points.push_back({point});
    ASSERT_TRUE(save_sweep_record(sweep, record));
    std::filesystem::create_directories(sweep.points());
    for (int point = 0; point < points; ++point) submit(sweep.point_folder(point));
  }
  void add_open_run(const std::string& id, std::chrono::seconds age = {}) {
    save_pointer(id, age);
    submit(folder_of(id));
  }

  TemporaryFolder folder;
  FakeSystem outside;
  std::ostringstream out;
  std::ostringstream err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
  Context context{.environment = EnvMap({{"HOME", folder.path()},
                                         {"XDG_STATE_HOME", folder / "state"},
                                         {"XDG_CONFIG_HOME", folder / "config"}}),
                  .current_folder = folder.path(),
                  .own_folder = folder / "prefix/bin",
                  .system = outside.system(),
                  .reporter = *reporter};
  std::vector<Command> commands = all_commands();
};

TEST_F(CompleteLineTest, VerbsWithTheirSummaries) {
  EXPECT_THAT(complete({"st"}), ElementsAre("status", "stack"));
  EXPECT_EQ(doc_of({"ren"}, "render"), std::ranges::find(commands, "render", &Command::name)->summary);
  EXPECT_THAT(complete({""}),
              AllOf(Contains("run"), Not(Contains(StartsWith("_"))), Not(Contains("manual"))));
  EXPECT_THAT(complete({"--ver"}), ElementsAre("--version"));
  EXPECT_THAT(complete({"--json", "ren"}), ElementsAre("render"));
  EXPECT_THAT(complete({"nonsense", ""}), IsEmpty());
  EXPECT_THAT(complete({}), IsEmpty());
}

TEST_F(CompleteLineTest, OptionsThatAreNotThereYet) {
  EXPECT_THAT(complete({"logs", "last", "--std"}), ElementsAre("--stdout", "--stderr"));
  EXPECT_THAT(complete({"logs", "last", "--stdout", "--std"}), ElementsAre("--stderr"));
  EXPECT_THAT(complete({"logs", "last", "--j"}), ElementsAre("--json"));
  EXPECT_THAT(complete({"top", "--j"}), ElementsAre()) << "it has no JSON";
  EXPECT_THAT(complete({"list", ""}), Contains("--state"));
  EXPECT_THAT(complete({"logs", "--", "--std"}), IsEmpty());
}

TEST_F(CompleteLineTest, ActionsOfAVerbAndCheckpoints) {
  EXPECT_THAT(complete({"checkpoint", ""}), ElementsAre("info", "verify", "merge"));
  EXPECT_THAT(complete({"checkpoint", "v"}), ElementsAre("verify"));
  add_run("train-k9cb8tx4");
  write("trained/LATEST", "step-00000001-a0");
  EXPECT_THAT(complete({"checkpoint", "info", "train"}), ElementsAre("train", "train-k9cb8tx4", "trained/"));
  EXPECT_THAT(complete({"checkpoint", "info", "trained/L"}), ElementsAre("trained/LATEST"));
}

TEST_F(CompleteLineTest, StatesOfAnOption) {
  EXPECT_THAT(complete({"list", "--state", "qu"}), ElementsAre("queued"));
  EXPECT_THAT(complete({"list", "--state=qu"}), ElementsAre("--state=queued"));
  EXPECT_THAT(complete({"list", "--state", "queued,r"}), ElementsAre("queued,running", "queued,restarting"));
  EXPECT_THAT(complete({"list", "--state", "queued,q"}), IsEmpty());
  EXPECT_THAT(complete({"list", "--name", "x"}), IsEmpty());
  EXPECT_THAT(complete({"wait", "last", "--timeout", "x"}), IsEmpty());
}

TEST_F(CompleteLineTest, RunsByTheNamesOfTheirRecordsAlone) {
  EXPECT_THAT(complete({"status", ""}), Not(Contains("last")));
  add_run("mnist-0a1b2c3d");
  add_run("mnist-0a1b2c3e");
  add_run("other-0a1b2c3f");
  EXPECT_THAT(complete({"status", ""}),
              ElementsAre("last", "mnist", "other", "mnist-0a1b2c3d", "mnist-0a1b2c3e", "other-0a1b2c3f"));
  EXPECT_THAT(complete({"wait", "other", "o"}), ElementsAre("other-0a1b2c3f"));
  EXPECT_THAT(complete({"list", "--name", "m"}), ElementsAre("mnist"));
  EXPECT_EQ(doc_of({"status", ""}, "mnist"), "name of 2 runs: the newest of them");
  EXPECT_THAT(complete({"describe", "last", "m"}), IsEmpty()) << "it takes one";
}

TEST_F(CompleteLineTest, ConfigurationFilesAndTheFoldersOnTheWay) {
  write("train.yaml", "");
  write("train.py", "");
  write("jobs/a.yml", "");
  write(".hidden.yaml", "");
  EXPECT_THAT(complete({"run", ""}), AllOf(Contains("train.yaml"), Contains("jobs/"),
                                           Not(Contains("train.py")), Not(Contains(".hidden.yaml"))));
  EXPECT_THAT(complete({"run", "jobs/"}), ElementsAre("jobs/a.yml"));
  EXPECT_THAT(complete({"run", "~/jo"}), ElementsAre("~/jobs/"));
  EXPECT_THAT(complete({"run", folder / "tr"}), ElementsAre(folder / "train.yaml"));
  EXPECT_THAT(complete({"run", "nowhere/"}), IsEmpty());
}

TEST_F(CompleteLineTest, KeysPartByPart) {
  EXPECT_THAT(complete({"run", "a.yaml", "train.opt"}), ElementsAre("train.optimizer."));
  EXPECT_THAT(complete({"run", "a.yaml", "train.optimizer.na"}), ElementsAre("train.optimizer.name="));
  EXPECT_THAT(complete({"run", "a.yaml", "train.loss."}),
              ElementsAre("train.loss.name=", "train.loss.label_smoothing="));
  EXPECT_THAT(complete({"run", "a.yaml", "train.strategy=f"}), ElementsAre("train.strategy=fsdp"));
  EXPECT_THAT(complete({"run", "a.yaml", "train.hsdp.s"}), ElementsAre("train.hsdp.shard="));
  EXPECT_THAT(complete({"run", "a.yaml", "res"}), ElementsAre("resources."));
  EXPECT_THAT(complete({"run", "a.yaml", "resources.nod"}), ElementsAre("resources.nodes="));
  EXPECT_EQ(doc_of({"run", "a.yaml", "resources.nod"}, "resources.nodes="), "number of nodes");
  EXPECT_THAT(complete({"run", "a.yaml", "incl"}), IsEmpty()) << "an argument cannot set it";
  EXPECT_THAT(complete({"run", "a.yaml", "+"}), ElementsAre("+include="));
}

TEST_F(CompleteLineTest, ValuesOfEnumerationsAndFlags) {
  EXPECT_THAT(complete({"run", "a.yaml", "environment.inherit="}),
              ElementsAre("environment.inherit=true", "environment.inherit=false"));
  EXPECT_EQ(doc_of({"run", "a.yaml", "environment.inherit="}, "environment.inherit=true"), "default");
  EXPECT_THAT(complete({"run", "a.yaml", "fault_tolerance.signal=US"}),
              ElementsAre("fault_tolerance.signal=USR1", "fault_tolerance.signal=USR2"));
  EXPECT_THAT(complete({"run", "a.yaml", "fault_tolerance.signal=TER"}), IsEmpty()) << "it is refused";
  EXPECT_THAT(complete({"run", "a.yaml", "resources.nodes="}), IsEmpty());
  write("data/x", "");
  EXPECT_THAT(complete({"run", "a.yaml", "train.data.root=da"}), ElementsAre("train.data.root=data/"));
}

TEST_F(CompleteLineTest, KeysOfTheChosenComponentAlone) {
  write("cnn.yaml", "train: {optimizer: {name: sgd}}\nargs: {lr: 1, depth: 2}\n");
  EXPECT_THAT(complete({"run", "cnn.yaml", "train.optimizer."}),
              AllOf(Contains("train.optimizer.momentum="), Not(Contains("train.optimizer.beta1="))));
  EXPECT_THAT(complete({"run", "absent.yaml", "train.optimizer."}), Contains("train.optimizer.momentum="));
  EXPECT_THAT(complete({"run", "cnn.yaml", "args.l"}), ElementsAre("args.lr="));
}

TEST_F(CompleteLineTest, PresetsAndFilesToInclude) {
  write("prefix/share/ddpsubmit/configs/compute/a100.yaml", "");
  write("config/ddpsubmit/compute/ours.yaml", "");
  EXPECT_THAT(complete({"run", "a.yaml", "+include=comp"}),
              ElementsAre("+include=compute/a100.yaml", "+include=compute/ours.yaml"));
}

TEST_F(CompleteLineTest, WhatMayChangeInARerun) {
  EXPECT_THAT(complete({"rerun", "last", "train.ep"}), ElementsAre("train.epochs="));
  EXPECT_THAT(complete({"rerun", "last", "train.mod"}), IsEmpty());
  EXPECT_THAT(complete({"rerun", "last", "+"}), IsEmpty());
}

TEST_F(CompleteLineTest, PartitionsAsTheSchedulerNamesThem) {
  outside.runner.answer(0, "long\nshort\nlong\n");
  EXPECT_THAT(complete({"run", "a.yaml", "slurm.partition="}),
              ElementsAre("slurm.partition=long", "slurm.partition=short"));
  EXPECT_EQ(outside.runner.requests.back().argv, (Strings{"sinfo", "--noheader", "--format=%R"}));
  EXPECT_LE(outside.runner.requests.back().timeout, std::chrono::seconds(2));
  outside.runner.answer(1, "", "sinfo: error");
  EXPECT_THAT(complete({"run", "a.yaml", "slurm.partition="}), IsEmpty());
  EXPECT_EQ(err.str(), "");
}

TEST_F(CompleteLineTest, PointsOfASweep) {
  const auto place = (folder / "runs/search-0a1b2c3d").string();
  const RunStore store(folder / "state/ddpsubmit/runs");
  ASSERT_TRUE(store.create());
  ASSERT_TRUE(store.save({.run_id = "search-0a1b2c3d",
                          .name = "search",
                          .run_dir = place,
                          .launcher = "local",
                          .job_id = {},
                          .created = {}}));
  write("runs/search-0a1b2c3d/sweep.json", "");
  ASSERT_TRUE(save_sweep_record(
      RunFolder(place),
      {.keys = {"train.optimizer.learning_rate"}, .points = {{0.1}, {0.5}}, .at_once = {}}));
  EXPECT_THAT(complete({"status", "search/"}), ElementsAre("search/0", "search/1"));
  EXPECT_THAT(complete({"status", "search-0a1b2c3d/1"}), ElementsAre("search-0a1b2c3d/1"));
  EXPECT_EQ(doc_of({"status", "search/"}, "search/1"), "learning_rate=0.5");
  EXPECT_THAT(complete({"status", "other/"}), IsEmpty());
}

TEST_F(CompleteLineTest, RunsThatMayGoOnForCancel) {
  save_pointer("gone-0a1b2c3d");
  add_open_run("ended-0a1b2c3f");
  end(folder_of("ended-0a1b2c3f"));
  add_open_run("open-0a1b2c3e");
  EXPECT_THAT(complete({"cancel", ""}), ElementsAre("last", "open", "open-0a1b2c3e"));
  EXPECT_THAT(complete({"cancel", "go"}), IsEmpty());
  EXPECT_THAT(complete({"cancel", "en"}), IsEmpty());
  EXPECT_THAT(complete({"status", "go"}), ElementsAre("gone", "gone-0a1b2c3d"));
}

TEST_F(CompleteLineTest, OnlyTheNewestRunsAreReadForCancel) {
  using std::chrono::hours;
  add_open_run("old-0a1b2c3e", hours(2));
  for (int run = 0; run < 100; ++run) save_pointer("gone-0a1b2" + std::to_string(100 + run), hours(1));
  add_open_run("new-0a1b2c3f");
  EXPECT_THAT(complete({"cancel", ""}), ElementsAre("last", "new", "new-0a1b2c3f"));
  EXPECT_THAT(complete({"cancel", "ol"}), ElementsAre("old", "old-0a1b2c3e"));
}

TEST_F(CompleteLineTest, OfASweepTheLastPointsTellWhetherItGoesOn) {
  add_sweep("search-0a1b2c3d", 3);
  add_sweep("over-0a1b2c3e", 2);
  for (const int point : {0, 1}) end(folder_of("over-0a1b2c3e").point_folder(point));
  end(folder_of("search-0a1b2c3d").point_folder(2));
  EXPECT_THAT(complete({"cancel", "se"}), ElementsAre("search", "search-0a1b2c3d"));
  EXPECT_THAT(complete({"cancel", "ov"}), IsEmpty());
}

TEST_F(CompleteLineTest, PointsThatMayGoOnForCancel) {
  add_sweep("search-0a1b2c3d", 3);
  for (const int point : {0, 2}) end(folder_of("search-0a1b2c3d").point_folder(point));
  EXPECT_THAT(complete({"cancel", "search-0a1b2c3d/"}), ElementsAre("search-0a1b2c3d/1"));
  EXPECT_THAT(complete({"status", "search-0a1b2c3d/"}),
              ElementsAre("search-0a1b2c3d/0", "search-0a1b2c3d/1", "search-0a1b2c3d/2"));
}

TEST_F(CompleteLineTest, KeysOfASweep) {
  EXPECT_THAT(complete({"run", "a.yaml", "sweep"}), AllOf(Contains("sweep."), Contains("sweep_options.")));
  EXPECT_THAT(complete({"run", "a.yaml", "sweep.train.se"}), ElementsAre("sweep.train.seed="));
  EXPECT_THAT(complete({"run", "a.yaml", "sweep.train.opt"}), ElementsAre("sweep.train.optimizer."));
  EXPECT_THAT(complete({"run", "a.yaml", "sweep.resou"}), IsEmpty()) << "all points share it";
  EXPECT_THAT(complete({"rerun", "last", "sweep.train."}), IsEmpty());
}

TEST_F(CompleteLineTest, OptionsWithTwoNames) {
  write("data/x", "");
  EXPECT_THAT(complete({"export", "last", "--o"}), ElementsAre("--output"));
  EXPECT_THAT(complete({"export", "last", "-o", "x", "--o"}), IsEmpty());
  EXPECT_THAT(complete({"export", "last", "-o", "da"}), ElementsAre("data/"));
  EXPECT_THAT(complete({"export", "last", "--output=da"}), ElementsAre("--output=data/"));
}

TEST_F(CompleteLineTest, RanksOfTheRunThatIsNamed) {
  EXPECT_THAT(complete({"logs", "--rank", ""}), IsEmpty());
  EXPECT_THAT(complete({"logs", "last", "--rank", ""}), IsEmpty()) << "there is none";
  save_pointer("mnist-0a1b2c3d");
  LaunchPlan plan;
  use_launcher(plan, "local");
  plan.run_dir = folder_of("mnist-0a1b2c3d").root();
  plan.run_id = "mnist-0a1b2c3d";
  plan.tasks_per_node = 12;
  plan.argv = {"true"};
  plan.work_dir = plan.submit_dir = plan.agent = "/";
  write("runs/mnist-0a1b2c3d/plan.json", to_json(plan).dump());
  EXPECT_THAT(complete({"logs", "last", "--rank", ""}), testing::SizeIs(12));
  EXPECT_THAT(complete({"logs", "mnist-0a1b2c3d", "--rank", "1"}), ElementsAre("1", "10", "11"));
  EXPECT_THAT(complete({"logs", "last", "--rank", "0,11,1"}), ElementsAre("0,11,1", "0,11,10"));
  EXPECT_THAT(complete({"logs", "last", "--rank=0,"}), AllOf(Contains("--rank=0,1"), testing::SizeIs(11)));
  EXPECT_THAT(complete({"logs", "last", "--rank", "0,12"}), IsEmpty());
}

TEST_F(CompleteLineTest, Shells) {
  EXPECT_THAT(complete({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST_F(CompleteLineTest, NothingElseAsksTheOutside) {
  for (const auto& words : {Strings{"run", "a.yaml", "slurm."}, Strings{"status", ""}, Strings{"run", ""}})
    (void)complete(words);
  EXPECT_TRUE(outside.runner.requests.empty());
}

TEST_F(CompleteLineTest, WordsBehindTheScriptOfTorchrunAreNotOptions) {
  write("train.py", "");
  EXPECT_THAT(complete({"torchrun", "--nproc"}), ElementsAre("--nproc-per-node"));
  EXPECT_THAT(complete({"torchrun", "--launcher", "sl"}), ElementsAre("slurm"));
  EXPECT_THAT(complete({"torchrun", "--nproc-per-node", "2", "tr"}), ElementsAre("train.py"));
  EXPECT_THAT(complete({"torchrun", "train.py", "--nproc"}), IsEmpty());
  EXPECT_THAT(complete({"torchrun", "train.py", "tr"}), ElementsAre("train.py"));
}

}  // namespace
}  // namespace ddp::cli
