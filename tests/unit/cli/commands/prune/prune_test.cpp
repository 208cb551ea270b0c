#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "cli/commands/registry.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/confirmed_successes.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using testing::HasSubstr;
using testing::Not;

/// Local runs of a user, on a machine where no time passes.
class PruneTest : public testing::Test {
 protected:
  /// The newest is that of the smallest age.
  RunFolder make_run(const std::string& id, int hours_ago, const std::string& state,
                     const std::string& spec = "name: job\n") {
    RunFolder folder(home / "runs" / id);
    EXPECT_TRUE(folder.create());
    std::ofstream(folder.spec()) << spec;
    std::ofstream(folder.plan()) << "{}\n";
    auto ledger = LedgerWriter::open(folder, "submit");
    EXPECT_TRUE(ledger->append("submit_intent", {{"token", "t-" + id}, {"launcher", "slurm"}}));
    EXPECT_TRUE(ledger->append("submitted", {{"job_id", "7"}, {"launcher", "slurm"}}));
    if (!state.empty()) {
      EXPECT_TRUE(ledger->append("run_ended", {{"state", state}, {"exit_code", 1}}));
    }
    EXPECT_TRUE(store.save({.run_id = id,
                            .name = id.substr(0, id.find('-')),
                            .run_dir = folder.root(),
                            .launcher = "slurm",
                            .job_id = "7",
                            .created = outside.clock.now() - hours(hours_ago)}));
    return folder;
  }
  /// As if the exit records of its ranks had been looked at.
  void confirm_success(const RunFolder& folder) {
    ConfirmedSuccesses confirmed(store.folder().parent_path() / "confirmed");
    confirmed.add(folder, 0);
    confirmed.save();
  }
  /// Its points are run folders that have ended.
  void make_sweep(const std::string& id, const std::vector<std::string>& states) {
    const auto folder = make_run(id, 1, "");
    SweepRecord record{.keys = {"train.seed"}, .points = {}, .at_once = {}};
    fs::create_directory(folder.points());
    for (int point = 0; point < std::ssize(states); ++point) {
      record.points.push_back({point});
      const auto place = folder.point_folder(point);
      EXPECT_TRUE(place.create());
      auto ledger = LedgerWriter::open(place, "head-0");
      EXPECT_TRUE(ledger->append("submit_intent", {{"token", "t"}, {"launcher", "slurm"}}));
      EXPECT_TRUE(ledger->append("run_ended",
                                 {{"state", states[static_cast<std::size_t>(point)]}, {"exit_code", 0}}));
    }
    for (int point = 0; point < std::ssize(states); ++point) confirm_success(folder.point_folder(point));
    EXPECT_TRUE(save_sweep_record(folder, record));
  }
  Outcome prune(const std::vector<std::pair<std::string, std::string>>& options) {
    out.str("");
    err.str("");
    Context context{environment, home.path(), home.path(), outside.system(), *reporter};
    Arguments arguments;
    for (const auto& [name, value] : options)
      arguments.add(name, value.empty() ? std::vector<std::string>() : std::vector{value});
    const auto commands = all_commands();
    return std::ranges::find(commands, "prune", &Command::name)->run(arguments, context);
  }
  [[nodiscard]] bool is_there(const std::string& id) const {
    return fs::exists(home / "runs" / id / "plan.json") && fs::exists(store.path_of(id));
  }

  TemporaryFolder home;
  EnvMap environment{{{"XDG_STATE_HOME", home.path()}}};
  RunStore store = RunStore::open(environment).value();
  FakeSystem outside;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
};

TEST_F(PruneTest, KeepsTheNewestOfEachName) {
  for (int age = 1; age <= 3; ++age) {
    make_run("a-" + std::to_string(age), age, "failed");
    make_run("b-" + std::to_string(age), age, "failed");
  }
  EXPECT_EQ(prune({{"--keep", "2"}, {"--yes", ""}}), ExitCode::ok);
  for (const auto* name : {"a-1", "a-2", "b-1", "b-2"}) EXPECT_TRUE(is_there(name)) << name;
  EXPECT_FALSE(is_there("a-3"));
  EXPECT_FALSE(is_there("b-3"));
}

TEST_F(PruneTest, NoRunIsOlderThanCenturies) {
  make_run("a-1", 9, "failed");
  EXPECT_EQ(prune({{"--older-than", "200000d"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_TRUE(is_there("a-1"));
}

TEST_F(PruneTest, ARunWhoseLauncherDoesNotAnswerStays) {
  make_run("a-1", 9, "");
  outside.runner.answer(1, "");
  EXPECT_EQ(prune({{"--keep", "0"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_TRUE(is_there("a-1"));
  EXPECT_THAT(err.str(), HasSubstr("kept: run a-1: its state is unknown"));
}

TEST_F(PruneTest, ARunThatIsNeededByOneThatStaysStaysWithAllThatItNeeds) {
  make_run("a-1", 9, "failed");
  make_run("b-1", 5, "failed", "command: [cat, /runs/a-1/x]\n");
  make_run("c-1", 1, "failed", "command: [cat, /runs/b-1/x]\n");
  EXPECT_EQ(prune({{"--older-than", "3h"}, {"--keep", "0"}, {"--yes", ""}}), ExitCode::ok);
  for (const auto* name : {"a-1", "b-1", "c-1"}) EXPECT_TRUE(is_there(name)) << name;
  EXPECT_THAT(err.str(), HasSubstr("kept: run b-1: run c-1 needs files of it (command)"));
  EXPECT_THAT(err.str(), HasSubstr("kept: run a-1: run b-1 needs files of it (command)"));
}

TEST_F(PruneTest, FinishesWhatWasInterrupted) {
  const auto folder = make_run("a-1", 9, "failed");
  make_run("b-1", 1, "failed");
  fs::rename(folder.root(), home / "runs/.deleting-a-1");
  fs::remove(home / "runs/.deleting-a-1/plan.json");
  EXPECT_EQ(prune({{"--older-than", "100d"}}), ExitCode::ok);
  EXPECT_THAT(out.str(), HasSubstr("rest of an interrupted prune"));
  EXPECT_EQ(prune({{"--older-than", "100d"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_FALSE(fs::exists(home / "runs/.deleting-a-1"));
  EXPECT_FALSE(fs::exists(store.path_of("a-1")));
  EXPECT_TRUE(is_there("b-1"));
}

TEST_F(PruneTest, OfARunWithoutAFolderOnlyGoneForgetsThePointer) {
  fs::remove_all(make_run("a-1", 9, "failed").root());
  EXPECT_EQ(prune({{"--keep", "0"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_TRUE(fs::exists(store.path_of("a-1")));
  EXPECT_THAT(err.str(), HasSubstr("ddpsubmit prune --gone"));
  outside.runner.answer(0, "");
  EXPECT_EQ(prune({{"--gone", ""}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_FALSE(fs::exists(store.path_of("a-1")));
  EXPECT_THAT(err.str(), Not(HasSubstr("prune --gone")));
}

TEST_F(PruneTest, ASweepFailedOnlyIfNoPointSucceeded) {
  make_sweep("a-1", {"succeeded", "failed", "succeeded"});
  make_sweep("b-1", {"failed", "cancelled"});
  EXPECT_EQ(prune({{"--state", "failed"}}), ExitCode::ok);
  EXPECT_THAT(err.str(),
              HasSubstr("kept: run a-1: 2 of 3 points succeeded; to delete it: ddpsubmit prune a-1 --yes\n"));
  EXPECT_THAT(out.str(), HasSubstr("b-1  failed"));
  EXPECT_EQ(prune({{"--state", "failed,succeeded"}}), ExitCode::ok);
  EXPECT_THAT(out.str(), HasSubstr("a-1  2 of 3 points succeeded"));
}

TEST_F(PruneTest, ThatAPointSucceededKeepsNoSpareCheckpoints) {
  make_sweep("a-1", {"succeeded", "failed"});
  EXPECT_EQ(prune({{"RUN", "a-1"}, {"--checkpoints", ""}, {"--state", "failed"}}), ExitCode::ok);
  EXPECT_THAT(err.str(), HasSubstr("kept: run a-1: it has no checkpoints to delete\n"));
}

TEST_F(PruneTest, DeletesOnlyTheRunsThatAreNamed) {
  make_run("a-1", 1, "failed");
  make_run("b-1", 2, "failed");
  confirm_success(make_run("c-1", 3, "succeeded"));
  EXPECT_EQ(prune({{"RUN", "a"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_FALSE(is_there("a-1"));
  EXPECT_TRUE(is_there("b-1"));
  EXPECT_EQ(prune({{"RUN", "c-1"}, {"--state", "failed"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_TRUE(is_there("c-1"));
  EXPECT_THAT(err.str(), HasSubstr("kept: run c-1: it is succeeded\n"));
  EXPECT_THAT(err.str(), Not(HasSubstr("b-1")));
}

TEST_F(PruneTest, ARunThatIsNamedIsKeptWithTheReason) {
  make_run("a-1", 9, "failed");
  make_run("b-1", 1, "failed", "command: [cat, /runs/a-1/x]\n");
  EXPECT_EQ(prune({{"RUN", "a-1"}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_THAT(err.str(), HasSubstr("kept: run a-1: run b-1 needs files of it (command)"));
  for (const auto& [option, value, reason] :
       {std::tuple{"--keep", "1", "it is among the newest runs of its name (--keep)"},
        {"--name", "b", "its name does not contain 'b'"},
        {"--older-than", "10h", "it is too new (--older-than)"},
        {"--larger-than", "10GiB", "its folder is not that large (--larger-than)"},
        {"--checkpoints", "", "it has no checkpoints to delete"},
        {"--gone", "", "its folder still exists"}}) {
    EXPECT_EQ(prune({{"RUN", "a-1"}, {option, value}, {"--yes", ""}}), ExitCode::ok);
    EXPECT_THAT(err.str(), HasSubstr(std::string("kept: run a-1: ") + reason)) << option;
  }
  EXPECT_TRUE(is_there("a-1"));
}

TEST_F(PruneTest, AWordThatMeansNoRunOrAPointDeletesNothing) {
  make_run("a-1", 9, "failed");
  make_sweep("b-1", {"failed"});
  for (const auto* word : {"absent", "b-1/0"}) {
    EXPECT_FALSE(prune({{"RUN", word}, {"--yes", ""}})) << word;
    EXPECT_TRUE(is_there("b-1")) << word;
  }
}

TEST_F(PruneTest, ARunWithoutAFolderStaysInTheListIfSlurmDoesNotAnswer) {
  fs::remove_all(make_run("a-1", 9, "failed").root());
  outside.runner.answer(1, "");
  EXPECT_EQ(prune({{"--gone", ""}, {"--yes", ""}}), ExitCode::ok);
  EXPECT_TRUE(fs::exists(store.path_of("a-1")));
  EXPECT_THAT(err.str(), HasSubstr("kept: run a-1: "));
}

}  // namespace
}  // namespace ddp::cli
