#include <gmock/gmock.h>

#include "cli/spec/render_spec.hpp"
#include "cli/spec/sweep_axes.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using SweepSpec = SpecFolder;

const std::string kTriedTraining =
    "name: try\ntrain: {epochs: 1, model: {name: mlp}, data: {name: synthetic}, optimizer: {name: sgd}}\n";

std::vector<std::string> values_of(const RunSpec& spec) {
  std::vector<std::string> points;
  for (std::size_t point = 0; point < spec.points.size(); ++point) {
    std::string& text = points.emplace_back();
    for (const std::string& value : spec.sweep_values(point)) text += (text.empty() ? "" : " ") + value;
  }
  return points;
}

TEST_F(SweepSpec, ThePointsAreAllCombinationsTheFirstKeySlowest) {
  const RunSpec spec =
      good(kTriedTraining + "sweep: {train.optimizer.momentum: [0.5, 0.9], train.seed: [1, 2, 3]}\n");
  EXPECT_THAT(values_of(spec), ElementsAre("0.5 1", "0.5 2", "0.5 3", "0.9 1", "0.9 2", "0.9 3"));
  ASSERT_EQ(spec.points.size(), 6u);
  EXPECT_EQ(spec.points[4].train->seed, 2u);
  EXPECT_THAT(render_spec(spec.points[4]), HasSubstr("momentum: 0.9"));
  EXPECT_TRUE(spec.points[4].points.empty());
  EXPECT_TRUE(spec.points[4].sweep.empty());
}

TEST_F(SweepSpec, WithoutASweepThereAreNoPoints) {
  EXPECT_TRUE(good(kTriedTraining).points.empty());
  EXPECT_TRUE(good(kTriedTraining + "sweep: null\n").points.empty());
}

TEST_F(SweepSpec, KeysMayBeNestedAndComeFromTheCommandLine) {
  const RunSpec spec = good(kTriedTraining + "sweep: {train: {seed: [1], optimizer: {momentum: [0.5]}}}\n",
                            {"sweep.train.seed=[7, 8]"});
  EXPECT_THAT(values_of(spec), ElementsAre("7 0.5", "8 0.5"));
}

TEST_F(SweepSpec, TheCommandLineWinsHoweverAKeyIsWritten) {
  const RunSpec spec = good(kTriedTraining + "sweep: {train.seed: [1, 2], train.optimizer.momentum: [0.5]}\n",
                            {"sweep.train.seed=[7, 8]"});
  EXPECT_THAT(values_of(spec), ElementsAre("7 0.5", "8 0.5"));
  EXPECT_EQ(error_of(kTriedTraining + "sweep: {train.seed: [1, 2], train: {seed: [3]}}\n"),
            "3 'train.seed' and 'train.seed' overlap");
}

TEST_F(SweepSpec, WholeSectionsAreValuesToo) {
  const RunSpec spec = good(
      "name: try\ntrain: {epochs: 1, model: {name: mlp}, data: {name: synthetic}}\n"
      "sweep: {train.optimizer: [{name: sgd, momentum: 0.9}, {name: adam}], train.model.hidden_dims: [[], "
      "[8, 8]]}\n");
  EXPECT_THAT(values_of(spec),
              ElementsAre("{name: sgd, momentum: 0.9} []", "{name: sgd, momentum: 0.9} [8, 8]",
                          "{name: adam} []", "{name: adam} [8, 8]"));
  EXPECT_EQ(spec.points[2].train->optimizer.name, "adam");
}

TEST_F(SweepSpec, CommandsAndTheirVariables) {
  const RunSpec spec = good(
      "name: try\ncommand: [\"true\"]\n"
      "sweep: {environment.set.SIZE: [1, '2', big], command: [[a, b], [c]]}\n");
  EXPECT_THAT(values_of(spec),
              ElementsAre("1 [a, b]", "1 [c]", "\"2\" [a, b]", "\"2\" [c]", "big [a, b]", "big [c]"));
  EXPECT_EQ(spec.points[2].environment.set.at("SIZE"), "2");
}

TEST_F(SweepSpec, EachErrorIsAtTheValueThatIsWrong) {
  EXPECT_EQ(diagnose(kTriedTraining + "sweep: {train.seed: [1, x], train.optimizer.momentum: [0.5, -1]}\n"),
            "error: 'seed' must be an integer, not 'x'\n"
            "  --> run.yaml:3:25\n"
            "   |\n"
            " 3 | sweep: {train.seed: [1, x], train.optimizer.momentum: [0.5, -1]}\n"
            "   |                         ^\n"
            "\n"
            "error: 'momentum' must be at least 0, not '-1'\n"
            "  --> run.yaml:3:61\n"
            "   |\n"
            " 3 | sweep: {train.seed: [1, x], train.optimizer.momentum: [0.5, -1]}\n"
            "   |                                                             ^^\n");
}

TEST_F(SweepSpec, WhatValuesContradictIsAtTheValueToo) {
  const std::string said = diagnose(
      kTriedTraining +
      "resources: {tasks_per_node: 2}\nsweep:\n  train.data.global_batch_size:\n    - 64\n    - 65\n");
  EXPECT_THAT(said, HasSubstr("run.yaml:7:7"));
  EXPECT_THAT(said, HasSubstr("65"));
}

TEST_F(SweepSpec, AnUnknownKeyIsOneError) {
  EXPECT_EQ(diagnose(kTriedTraining + "sweep: {train.optimizer.momentun: [0.5, 0.9], train.seed: [1, 2]}\n"),
            "error: unknown key 'momentun'\n"
            "  --> run.yaml:3:9\n"
            "   |\n"
            " 3 | sweep: {train.optimizer.momentun: [0.5, 0.9], train.seed: [1, 2]}\n"
            "   |         ^^^^^^^^^^^^^^^^^^^^^^^^ help: did you mean 'momentum'?\n");
}

TEST_F(SweepSpec, AnErrorOfTheFileIsToldOnce) {
  EXPECT_EQ(error_of(kTriedTraining + "nodess: 1\nsweep: {train.seed: [1, 2]}\n"), "3 unknown key 'nodess'");
}

TEST_F(SweepSpec, AMisspeltKeyOfTheFileIsCorrectedOnceForAllPoints) {
  write("project/run.yaml",
        "train: {program: ./mine, epochs: 1, model: {name: mlp}, data: {name: synthetic}, optimizer: {name: "
        "sgd}}\nresources: {nodess: 1}\nsweep: {train.seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n");
  int reads = 0;
  const auto count_reads = [&](const std::string&, const auto&) {
    ++reads;
    return Expected<std::shared_ptr<const trainer::ComponentSchemas>>(nullptr);
  };
  const auto spec = load_run_spec({.file = "run.yaml",
                                   .arguments = {},
                                   .environment = EnvMap(),
                                   .current_folder = root_ / "project",
                                   .installed_folder = {},
                                   .schemas_of = count_reads});
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error(), ElementsAre(testing::Field(&Error::message, "unknown key 'nodess'")));
  EXPECT_LE(reads, 10 + 2) << "one for each point";
}

TEST_F(SweepSpec, WhatIsTheSameForAWholeArrayCannotDiffer) {
  for (const std::string key : {"name", "launcher", "run_root", "resources.nodes", "slurm.partition", "slurm",
                                "environment.setup", "environment.inherit", "fault_tolerance.signal",
                                "fault_tolerance.requeue", "sweep.train.seed", "sweep_options.at_once"}) {
    EXPECT_THAT(error_of(kTriedTraining + "sweep: {" + key + ": [1, 2]}\n"),
                testing::StartsWith("3 '" + key + "' cannot differ between the points of a sweep: "))
        << key;
  }
  EXPECT_EQ(good(kTriedTraining + "sweep: {fault_tolerance.grace_period: [1s, 2s]}\n").points.size(), 2u);
  EXPECT_EQ(good(kTriedTraining + "sweep: {rendezvous.timeout: [1m, 2m]}\n").points.size(), 2u);
}

TEST_F(SweepSpec, TheFormIsChecked) {
  const auto said = [&](const std::string& sweep) {
    return error_of(kTriedTraining + "sweep: " + sweep + "\n");
  };
  EXPECT_EQ(said("[1]"), "3 'sweep' must be a map of lists");
  EXPECT_EQ(said("{}"), "3 'sweep' has no key");
  EXPECT_EQ(said("{train.seed: 1}"), "3 'train.seed' needs a list of values");
  EXPECT_EQ(said("{train.seed: []}"), "3 'train.seed' needs a list of values");
  EXPECT_EQ(said("{train.seed: [1, 2, 1]}"), "3 'train.seed' has the value 1 twice");
  EXPECT_EQ(said("{train.optimizer: [{name: adam}], train.optimizer.eps: [1, 2]}"),
            "3 'train.optimizer.eps' and 'train.optimizer' overlap");
  EXPECT_EQ(error_of(kTriedTraining + "sweep: {train.seed: [1]}\nsweep_options: {at_once: 0}\n"),
            "4 'at_once' must be between 1 and 10000, not '0'");
}

TEST_F(SweepSpec, AnErrorOfTheSweepHidesNoOther) {
  const std::string file = kTriedTraining + "resources: {nodess: 1}\n";
  EXPECT_THAT(messages_of(file + "sweep: {train.seed: [1, 1], train.optimizer.momentum: [0.5, -1]}\n"),
              ElementsAre("unknown key 'nodess'", "'train.seed' has the value 1 twice",
                          "'momentum' must be at least 0, not '-1'"));
  EXPECT_THAT(messages_of(file + "sweep: {name: [a, b], train.optimizer.momentum: [0.5, -1]}\n"),
              ElementsAre("unknown key 'nodess'", HasSubstr("'name' cannot differ"),
                          "'momentum' must be at least 0, not '-1'"));
  EXPECT_THAT(
      messages_of(file + "launcher: ssh\nsweep: {train.optimizer.momentum: [-1]}\n"),
      testing::IsSupersetOf({testing::Matcher<std::string>("unknown key 'nodess'"),
                             testing::Matcher<std::string>("'momentum' must be at least 0, not '-1'")}));
}

TEST_F(SweepSpec, WhatAnIncompleteSweepLacksIsNotMissed) {
  const std::string file =
      "name: try\ntrain: {model: {name: mlp}, data: {name: synthetic}, optimizer: {name: sgd}}\n";
  EXPECT_EQ(error_of(file + "sweep: {train.epochs: 3}\n"), "3 'train.epochs' needs a list of values");
  EXPECT_EQ(error_of(file + "sweep: {train.epochs: []}\n"), "3 'train.epochs' needs a list of values");
}

TEST_F(SweepSpec, ThereIsALimit) {
  std::string values;
  for (int value = 0; value < 101; ++value) values += (value == 0 ? "" : ", ") + std::to_string(value);
  EXPECT_EQ(error_of(kTriedTraining + "sweep: {train.seed: [" + values + "], train.data.batch_size: [200" +
                     values.substr(1) + "]}\n"),
            "3 the sweep has more than 10000 points");
}

TEST_F(SweepSpec, ItIsRenderedAsWhatThePointsShareAndTheSweep) {
  const RunSpec spec = good(
      "name: try\ntrain: {epochs: 1, data: {name: fashion_mnist}, optimizer: {name: sgd}}\n"
      "sweep: {train.model.name: [mlp, convnet], train.seed: [1, 2]}\nsweep_options: {at_once: 2}\n");
  const std::string text = render_spec(spec);
  EXPECT_THAT(text, HasSubstr("\nsweep:\n  train.model.name: [mlp, convnet] "));
  EXPECT_THAT(text, HasSubstr("  train.seed: [1, 2] "));
  EXPECT_THAT(text, HasSubstr("  at_once: 2 "));
  EXPECT_THAT(text, testing::Not(HasSubstr("hidden_dims")));
  EXPECT_THAT(text, testing::Not(HasSubstr("seed: 1 ")));
  write("project/again.yaml", text);
  const auto again = load_resolved_spec(root_ / "project/again.yaml");
  ASSERT_TRUE(again) << render_diagnostics(again ? Errors{} : again.error());
  EXPECT_EQ(*again, spec);
}

TEST_F(SweepSpec, APointIsRenderedWithoutTheSweep) {
  const RunSpec spec = good(kTriedTraining + "sweep: {train.seed: [1, 2]}\nsweep_options: {at_once: 2}\n");
  const std::string text = render_spec(spec.points[1]);
  EXPECT_THAT(text, testing::Not(HasSubstr("sweep")));
  EXPECT_THAT(text, HasSubstr("seed: 2 "));
  EXPECT_THAT(text, HasSubstr("# run.yaml:3"));
}

}  // namespace
}  // namespace ddp::cli
