#include "cli/commands/complete/complete_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/commands/registry.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

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
  const RunStore store(folder / "state/ddpsubmit/runs");
  ASSERT_TRUE(store.create());
  const auto add = [&](const std::string& id, const std::string& ledger) {
    ASSERT_TRUE(store.save({.run_id = id,
                            .name = "mnist",
                            .run_dir = (folder / "runs" / id).string(),
                            .launcher = "local",
                            .job_id = {},
                            .created = std::chrono::system_clock::time_point{std::chrono::hours(1)}}));
    if (!ledger.empty()) write("runs/" + id + "/ledger/submit.jsonl", ledger);
  };
  add("gone-0a1b2c3d", "");
  add("open-0a1b2c3e", "{}\n");
  EXPECT_THAT(complete({"cancel", ""}), AllOf(Contains("open-0a1b2c3e"), Not(Contains("gone-0a1b2c3d"))));
  EXPECT_THAT(complete({"cancel", "go"}), IsEmpty());
  EXPECT_THAT(complete({"status", "go"}), ElementsAre("gone", "gone-0a1b2c3d"));
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
}

TEST_F(CompleteLineTest, Shells) {
  EXPECT_THAT(complete({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST_F(CompleteLineTest, NothingElseAsksTheOutside) {
  for (const auto& words : {Strings{"run", "a.yaml", "slurm."}, Strings{"status", ""}, Strings{"run", ""}})
    (void)complete(words);
  EXPECT_TRUE(outside.runner.requests.empty());
}

}  // namespace
}  // namespace ddp::cli
