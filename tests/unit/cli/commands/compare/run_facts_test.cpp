#include "cli/commands/compare/run_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/commands/compare/run_comparison.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string render(const ComparedFact& fact) {
  const auto text = [](const std::optional<RunFact>& of_run) {
    return of_run ? of_run->text : std::string("-");
  };
  return fact.section + " " + fact.key + ": " + text(fact.of_run.at(0)) + "|" + text(fact.of_run.at(1));
}

class RunFactsTest : public testing::Test {
 protected:
  std::vector<RunFact> facts_of(const std::string& id, const std::string& spec, const std::string& metrics) {
    const RunFolder folder(home / id);
    EXPECT_TRUE(folder.create());
    std::ofstream(folder.spec()) << spec;
    std::ofstream(folder.metrics()) << metrics;
    KnownRun run;
    run.pointer.run_dir = folder.root();
    run.status.state = RunState::succeeded;
    return load_run_facts(run, {});
  }
  static std::vector<std::string> compare(const std::vector<RunFact>& a, const std::vector<RunFact>& b) {
    std::vector<std::string> lines;
    for (const auto& fact : compare_runs({{"a", a}, {"b", b}}).facts)
      if (!fact.same) lines.push_back(render(fact));
    return lines;
  }

  TemporaryFolder home;
};

TEST_F(RunFactsTest, SettingsAndDataDifferByKeyWhateverTheirOrigins) {
  const auto a = facts_of("a",
                          "name: job  # default\ntrain:\n  seed: 1  # run.yaml:3\n  data:\n    path: /x\n"
                          "resources:\n  nodes: 2\n",
                          "");
  const auto b =
      facts_of("b",
               "name: job  # run.yaml:1\ntrain:\n  seed: 2  # command line\n  data:\n    path: /y\n"
               "  epochs: 3\nresources:\n  nodes: 2\n",
               "");
  EXPECT_THAT(compare(a, b), ElementsAre("settings train.seed: 1|2", "settings train.epochs: -|3",
                                         "data train.data.path: /x|/y"));
}

TEST_F(RunFactsTest, TheLastMetricsAreResultsAndSpeedsAreNot) {
  const auto a = facts_of("a", "name: job\n",
                          R"({"kind":"train","attempt":0,"step":4,"loss":0.5,"step_ms_p50":3.0})"
                          "\n"
                          R"({"kind":"checkpoint","attempt":0,"step":4,"stall_ms":3.0})"
                          "\n");
  const auto b = facts_of("b", "name: job\n",
                          R"({"kind":"train","attempt":0,"step":4,"loss":0.25,"f1":0.9,"step_ms_p50":9.0})"
                          "\n");
  EXPECT_THAT(compare(a, b), ElementsAre("results loss: 0.5|0.25", "results f1: -|0.9"));
}

TEST_F(RunFactsTest, ValuesThatMayBeSecretsAreComparedAndNotShown) {
  const auto a = facts_of("a", "environment:\n  set:\n    WANDB_API_KEY: alpha\n    KEYS: \"1\"\n", "");
  const auto b = facts_of("b", "environment:\n  set:\n    WANDB_API_KEY: beta\n    KEYS: \"1\"\n", "");
  EXPECT_THAT(compare(a, b), ElementsAre("settings environment.set.WANDB_API_KEY: (hidden)|(hidden)"));
  for (const auto& fact : a) EXPECT_THAT(fact.text + fact.value.dump(), Not(HasSubstr("alpha")));
}

TEST_F(RunFactsTest, TheVersionIsThatOfTheNewestSubmission) {
  const RunFolder folder(home / "a");
  (void)folder.create();
  auto ledger = LedgerWriter::open(folder, "submit");
  for (const auto* version : {"1.0.0", "1.1.0"})
    ASSERT_TRUE(ledger->append(event::SubmitIntent{.token = version, .version = version}));
  KnownRun run;
  run.pointer.run_dir = folder.root();
  EXPECT_THAT(compare(load_run_facts(run, {}), {}), Contains("versions ddpsubmit: 1.1.0|-"));
}

TEST_F(RunFactsTest, EqualRunsDoNotDiffer) {
  EXPECT_THAT(compare(facts_of("a", "name: job\n", ""), facts_of("b", "name: job\n", "")), ElementsAre());
}

}  // namespace
}  // namespace ddp::cli
