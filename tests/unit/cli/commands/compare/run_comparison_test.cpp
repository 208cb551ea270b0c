#include "cli/commands/compare/run_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/compare/comparison_text.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RunFact setting(const std::string& key, const std::string& text) {
  return {"settings", key, text, text};
}

RunFact result(const std::string& key, double value) {
  return {"results", key, nlohmann::json(value).dump(), value};
}

RunFact state(const std::string& text) {
  return {"results", "state", text, text};
}

std::vector<ComparedRun> three_runs() {
  return {{"a-1",
           {setting("name", "a"), setting("train.lr", "0.1"), state("succeeded"), result("accuracy", 0.5)}},
          {"b-2",
           {setting("name", "b"), setting("train.lr", "0.01"), state("succeeded"), result("accuracy", 0.75)}},
          {"c-3", {setting("name", "c"), setting("train.lr", "0.001"), state("failed")}}};
}

std::vector<std::string> ids_of(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> ids;
  for (const auto& run : runs) ids.push_back(run.run_id);
  return ids;
}

TEST(RunComparison, OfManyRunsIsARowForEach) {
  EXPECT_EQ(render_runs(compare_runs(three_runs()), {}),
            "RUN  lr     STATE      ACCURACY\n"
            "a-1  0.1    succeeded  0.5\n"
            "b-2  0.01   succeeded  0.75\n"
            "c-3  0.001  failed     -\n");
}

TEST(RunComparison, AKeyIsShortWhereNoOtherEndsLikeIt) {
  const std::vector<ComparedRun> runs{
      {"a-1", {setting("train.model.name", "mlp"), setting("train.optimizer.name", "sgd")}},
      {"b-2", {setting("train.model.name", "cnn"), setting("train.optimizer.name", "adam")}}};
  EXPECT_THAT(render_runs(compare_runs(runs), {}), HasSubstr("RUN  train.model.name  train.optimizer.name"));
}

TEST(RunComparison, LossAndAccuracyStandBeforeOtherMetrics) {
  const std::vector<ComparedRun> runs{
      {"a-1", {result("accuracy", 0.5), result("bleu", 7), result("loss", 0.123456789)}}, {"b-2", {}}};
  EXPECT_EQ(render_runs(compare_runs(runs), {}),
            "RUN  LOSS      ACCURACY  bleu\n"
            "a-1  0.123457  0.5       7\n"
            "b-2  -         -         -\n");
}

TEST(RunComparison, NamesWhatDiffersAndHasNoColumn) {
  const std::vector<ComparedRun> runs{
      {"a-1", {{"code", "commit", "c0", "c0"}, {"hosts", "hosts", "n1", "n1"}}},
      {"b-2", {{"code", "commit", "c1", "c1"}, {"hosts", "hosts", "n2", "n2"}}}};
  EXPECT_EQ(render_other_differences(compare_runs(runs)), "the commit of the code and the hosts");
  EXPECT_EQ(render_other_differences(compare_runs(three_runs())), "");
}

TEST(RunComparison, WhatARunDoesNotTellYetIsNoDifference) {
  std::vector<ComparedRun> runs{{"a-1", {{"hosts", "hosts", "n1", "n1"}}}, {"b-2", {}}};
  EXPECT_EQ(render_other_differences(compare_runs(runs)), "");
  runs.push_back({"c-3", {{"hosts", "hosts", "n2", "n2"}, {"versions", "libtorch", "2.11", "2.11"}}});
  runs.front().facts.push_back({"versions", "libtorch", "2.10", "2.10"});
  EXPECT_EQ(render_other_differences(compare_runs(runs)), "the hosts and the version of libtorch");
}

TEST(RunComparison, OfOneSweepNamesEachPointByItsNumber) {
  std::vector<ComparedRun> runs{{"a-1/0", {setting("lr", "1")}}, {"a-1/10", {setting("lr", "2")}}};
  EXPECT_EQ(render_runs(compare_runs(runs), {}),
            "POINT  lr\n"
            "0      1\n"
            "10     2\n");
  runs.push_back({"b-1/0", {setting("lr", "3")}});
  EXPECT_THAT(render_runs(compare_runs(runs), {}), HasSubstr("RUN     lr\na-1/0   1\n"));
}

/// Runs that differ in so many settings.
std::vector<ComparedRun> different_runs(std::size_t runs, std::size_t settings) {
  std::vector<ComparedRun> all(runs);
  for (std::size_t run = 0; run < runs; ++run) {
    all[run].run_id = "mnist-0a1b2c3" + std::to_string(run);
    for (std::size_t key = 0; key < settings; ++key)
      all[run].facts.push_back(setting("setting_" + std::to_string(key), std::to_string(run)));
    all[run].facts.push_back(state("succeeded"));
  }
  return all;
}

TEST(RunComparison, ThatIsTooWideForTheTerminalHasARowForEachKey) {
  EXPECT_EQ(render_runs(compare_runs(different_runs(3, 4)), 60),
            "RUN        mnist-0a1b2c30  mnist-0a1b2c31  mnist-0a1b2c32\n"
            "setting_0  0               1               2\n"
            "setting_1  0               1               2\n"
            "setting_2  0               1               2\n"
            "setting_3  0               1               2\n"
            "STATE      succeeded       succeeded       succeeded\n");
}

TEST(RunComparison, ThatFitsNeitherWayShowsAsManySettingsAsFit) {
  const auto text = render_runs(compare_runs(different_runs(5, 40)), 60);
  EXPECT_THAT(text, HasSubstr("RUN             setting_0  setting_1  setting_2  STATE\n"));
  EXPECT_THAT(text, HasSubstr("mnist-0a1b2c34  4          4          4          succeeded\n"));
  EXPECT_TRUE(text.ends_with("\n37 more settings differ: --json shows them\n")) << text;
}

TEST(RunComparison, OfAPairSaysWhichMetricsAreEqual) {
  const std::vector<ComparedRun> runs{
      {"a-1", {setting("seed", "1"), result("accuracy", 0.5), result("step", 9)}},
      {"b-2", {setting("seed", "2"), result("accuracy", 0.5), result("step", 9)}}};
  EXPECT_EQ(render_pair(compare_runs(runs), {}),
            "KEY       a-1  b-2\n"
            "settings\n"
            "  seed    1    2\n"
            "equal in both runs: accuracy 0.5\n");
}

TEST(RunComparison, OfAPairThatIsEqualSaysSo) {
  const std::vector<ComparedRun> runs{{"a-1", {result("loss", 0.5)}}, {"b-2", {result("loss", 0.5)}}};
  EXPECT_EQ(render_pair(compare_runs(runs), {}),
            "runs a-1 and b-2 do not differ\n"
            "equal in both runs: loss 0.5\n");
}

TEST(RunComparison, SaysWhyARunDidNotSucceed) {
  const auto message = [](const std::string& text) { return RunFact{"results", "message", text, text}; };
  std::vector<ComparedRun> runs{{"a-1", {state("succeeded"), message("2 ranks finished")}},
                                {"b-2", {state("failed"), message("rank 1 exited with code 3\nmore")}}};
  EXPECT_EQ(render_runs(compare_runs(runs), {}),
            "RUN  STATE      MESSAGE\n"
            "a-1  succeeded  -\n"
            "b-2  failed     rank 1 exited with code 3\n");
  runs.pop_back();
  EXPECT_EQ(render_runs(compare_runs(runs), {}), "RUN  STATE\na-1  succeeded\n");
}

TEST(RunComparison, ALongMessageWrapsAtTheWidthOfTheTerminal) {
  const std::string message = "rank 1 on node2 was killed by SIGKILL, which may be the out-of-memory killer";
  const std::vector<ComparedRun> runs{{"a-1", {state("failed"), {"results", "message", message, message}}},
                                      {"b-2", {}}};
  for (const auto& text : {render_pair(compare_runs(runs), 50), render_runs(compare_runs(runs), 50)}) {
    std::size_t longest = 0;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      longest = std::max(longest, end - begin);
    }
    EXPECT_LE(longest, 50U) << text;
  }
}

TEST(RunComparison, SortsByAMetricOrASettingAndLeavesUnknownOnesLast) {
  auto runs = three_runs();
  ASSERT_TRUE(sort_runs(runs, "lr", SortDirection::ascending));
  EXPECT_THAT(ids_of(runs), ElementsAre("c-3", "b-2", "a-1")) << "as numbers";
  ASSERT_TRUE(sort_runs(runs, "accuracy", SortDirection::ascending));
  EXPECT_THAT(ids_of(runs), ElementsAre("a-1", "b-2", "c-3"));
  ASSERT_TRUE(sort_runs(runs, "accuracy", SortDirection::descending));
  EXPECT_THAT(ids_of(runs), ElementsAre("b-2", "a-1", "c-3"));
  ASSERT_TRUE(sort_runs(runs, "train.lr", SortDirection::descending));
  EXPECT_THAT(ids_of(runs), ElementsAre("a-1", "b-2", "c-3"));
}

TEST(RunComparison, AnUnknownKeyIsAMistakeThatNamesTheKeys) {
  auto runs = three_runs();
  const auto sorted = sort_runs(runs, "acc", SortDirection::ascending);
  ASSERT_FALSE(sorted);
  EXPECT_EQ(sorted.error().code, ExitCode::usage);
  EXPECT_THAT(sorted.error().message, HasSubstr("no setting or metric 'acc'"));
  EXPECT_THAT(sorted.error().hint, HasSubstr("train.lr, state, accuracy"));
}

TEST(RunComparison, AKeyThatCouldBeSeveralIsAMistake) {
  std::vector<ComparedRun> runs{{"a-1", {setting("model.name", "mlp"), setting("optimizer.name", "sgd")}},
                                {"b-2", {}}};
  const auto sorted = sort_runs(runs, "name", SortDirection::ascending);
  ASSERT_FALSE(sorted);
  EXPECT_THAT(sorted.error().message, HasSubstr("'name' can be model.name or optimizer.name"));
}

TEST(RunComparison, AsJsonHasTheShapeOfAPairOnlyForAPair) {
  auto runs = three_runs();
  const auto many = to_json(compare_runs(runs));
  EXPECT_FALSE(many.contains("a"));
  EXPECT_EQ(many["runs"][0]["run_id"], "a-1");
  EXPECT_EQ(many["runs"][1]["settings"]["train.lr"], "0.01");
  EXPECT_EQ(many["runs"][1]["results"]["accuracy"], 0.75);
  EXPECT_FALSE(many["runs"][2]["results"].contains("accuracy"));
  EXPECT_EQ(
      many["differences"][1],
      (nlohmann::json{{"section", "settings"}, {"key", "train.lr"}, {"values", {"0.1", "0.01", "0.001"}}}));

  runs.pop_back();
  runs[1].facts.back() = runs[0].facts.back();
  const auto pair = to_json(compare_runs(runs));
  EXPECT_EQ(pair["a"], "a-1");
  EXPECT_EQ(pair["b"], "b-2");
  EXPECT_EQ(pair["differences"][1]["a"], "0.1");
  EXPECT_EQ(pair["differences"][1]["b"], "0.01");
  EXPECT_EQ(pair["equal"], (nlohmann::json::array({{{"key", "accuracy"}, {"value", 0.5}}})));
}

}  // namespace
}  // namespace ddp::cli
