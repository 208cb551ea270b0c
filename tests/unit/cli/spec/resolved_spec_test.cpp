#include <gmock/gmock.h>

#include "cli/spec/render_spec.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kFit =
    "name: fit\n"
    "train:\n"
    "  epochs: 2\n"
    "  model: {name: mlp}\n"
    "  data: {name: synthetic}\n"
    "  optimizer: {name: sgd}\n";

/// A spec.yaml of an earlier submission, which is read again.
class ResolvedSpec : public SpecFolder {
 protected:
  void keep(const RunSpec& spec) const { write("runs/x/spec.yaml", render_spec(spec)); }

  [[nodiscard]] tl::expected<RunSpec, Errors> reload(std::vector<std::string> arguments = {},
                                                     std::vector<std::string> swept = {}) const {
    return load_resolved_spec(
        root_ / "runs/x/spec.yaml", {},
        {.arguments = std::move(arguments), .swept = std::move(swept), .current_folder = root_ / "project"});
  }

  [[nodiscard]] RunSpec changed(const std::string& text, std::vector<std::string> arguments) const {
    keep(good(text));
    auto again = reload(std::move(arguments));
    EXPECT_TRUE(again) << render_diagnostics(again ? Errors{} : again.error());
    return again.value_or(RunSpec{});
  }

  [[nodiscard]] std::string refusal(const std::string& text, std::vector<std::string> arguments,
                                    std::vector<std::string> swept = {}) const {
    keep(good(text));
    const auto again = reload(std::move(arguments), std::move(swept));
    return again ? "no error" : render_diagnostics(again.error());
  }
};

TEST_F(ResolvedSpec, ItsOriginsAreThoseOfTheFirstReading) {
  write("home/.config/ddpsubmit/user.yaml", "slurm: {account: me}\n");
  const RunSpec spec = good(
      "launcher: slurm\n"
      "slurm: {comment: 'a \" # b', options: {hold: ''}}\n"
      "environment: {set: {K: 'x  # y'}, secrets: [A, B]}\n" +
          kCommand,
      {"resources.nodes=2", "name=\"odd # name\"", "name=odd"});
  const auto text = render_spec(spec);
  keep(spec);
  const auto again = reload();
  ASSERT_TRUE(again) << render_diagnostics(again ? Errors{} : again.error());
  EXPECT_EQ(render_spec(*again), text);
  EXPECT_EQ(again->origins.by_path.at("resources.nodes").describe(), "command line");
  EXPECT_EQ(again->origins.by_path.at("resources.nodes").source->origin, Origin::command_line);
  EXPECT_EQ(again->origins.by_path.at("environment.set.K").describe(), "run.yaml:3");
  EXPECT_EQ(again->origins.by_path.at("slurm.comment").describe(), "run.yaml:2");
  EXPECT_FALSE(again->origins.by_path.contains("resources.tasks_per_node"));
}

TEST_F(ResolvedSpec, EachSetUpLineKeepsItsOwn) {
  const RunSpec spec = good("environment:\n  setup:\n    - a\n    # b\n    - 'c # d'\n" + kCommand);
  EXPECT_THAT(render_spec(spec),
              HasSubstr("  setup:\n    - a                                           # run.yaml:3\n"
                        "    - \"c # d\"                                     # run.yaml:5\n"));
  keep(spec);
  const auto again = reload();
  ASSERT_TRUE(again) << render_diagnostics(again ? Errors{} : again.error());
  EXPECT_EQ(*again, spec);
  EXPECT_EQ(render_place(*again->origins.mark("environment.setup[1]")), "run.yaml:5");
  EXPECT_EQ(render_spec(*again), render_spec(spec));
}

TEST_F(ResolvedSpec, AValueThatSomebodyHasAddedIsInTheSpecItself) {
  write("runs/x/spec.yaml", "name: x\ncommand: [prog]  # run.yaml:1\nresources: {nodes: 1}\n");
  const auto spec = reload();
  ASSERT_TRUE(spec) << render_diagnostics(spec ? Errors{} : spec.error());
  EXPECT_THAT(spec->origins.by_path.at("name").describe(), testing::EndsWith("spec.yaml:1"));
  EXPECT_EQ(spec->origins.by_path.at("command").describe(), "run.yaml:1");
}

TEST_F(ResolvedSpec, AnErrorOfItIsAtItsPlaceThere) {
  write("runs/x/spec.yaml",
        "name: x                       # run.yaml:1\nnodes: 1                 # run.yaml:2\n");
  const auto spec = reload();
  ASSERT_FALSE(spec);
  EXPECT_THAT(render_diagnostics(spec.error()), HasSubstr("runs/x/spec.yaml:2:1"));
}

TEST_F(ResolvedSpec, WhatMayChangeBetweenAttemptsChanges) {
  const RunSpec spec = changed(
      kFit, {"train.epochs=5", "resources.time=3h", "train.log.every_steps=7", "train.checkpoint.keep=9",
             "train.checkpoint.every=10m", "fault_tolerance={max_restarts: 1, hang_timeout: off}",
             "train.evaluate.every_epochs=0"});
  EXPECT_EQ(spec.train->epochs, 5);
  EXPECT_EQ(spec.resources.time, std::chrono::hours(3));
  EXPECT_EQ(spec.train->log.every_steps, 7);
  EXPECT_EQ(spec.train->checkpoint.keep, 9);
  EXPECT_EQ(spec.max_restarts(), 1);
  EXPECT_EQ(spec.hang_timeout(), std::nullopt);
  EXPECT_THAT(render_spec(spec),
              HasSubstr("  epochs: 5                                       # command line\n"));
  EXPECT_THAT(render_spec(spec),
              HasSubstr("name: fit                                         # run.yaml:1\n"));
}

TEST_F(ResolvedSpec, AFileThatNamesItselfAsTheOriginKnowsNone) {
  write("runs/x/spec.yaml",
        "name: fit  # /old/place/runs/x/spec.yaml:1\n"
        "launcher: local  # /home/me/spec.yaml:2\n"
        "command: [prog]  # spec.yaml:3\n");
  const auto spec = reload();
  ASSERT_TRUE(spec) << render_diagnostics(spec ? Errors{} : spec.error());
  EXPECT_FALSE(spec->origins.mark("name"));
  EXPECT_EQ(spec->origins.by_path.at("launcher").describe(), "/home/me/spec.yaml:2");
  EXPECT_EQ(spec->origins.by_path.at("command").describe(), "spec.yaml:3");
}

TEST_F(ResolvedSpec, StepsMayTakeThePlaceOfEpochs) {
  const RunSpec spec = changed(kFit, {"train.max_steps=50", "train.epochs=null"});
  EXPECT_EQ(spec.train->max_steps, 50);
  EXPECT_EQ(spec.train->epochs, std::nullopt);
}

TEST_F(ResolvedSpec, WhatWouldBeAnotherRunIsRefusedWithTheReason) {
  const auto seed = refusal(kFit, {"train.seed=3"});
  EXPECT_THAT(seed, HasSubstr("'train.seed' cannot change in a rerun: the checkpoints of the run were made "
                              "with its present value\n"));
  EXPECT_THAT(seed, HasSubstr("--> command line\n"));
  EXPECT_THAT(seed, HasSubstr("a rerun can change these keys:\n    train.epochs, train.max_steps\n    "
                              "train.checkpoint.every_epochs, "));
  EXPECT_THAT(seed, HasSubstr("  to start a new run: ddpsubmit run CONFIG KEY=VALUE\n  to start it from the "
                              "newest checkpoint of this run, add train.checkpoint.path=RUN_FOLDER\n"));
  for (const char* argument :
       {"command=[a]", "name=b", "launcher=slurm", "resources.nodes=2", "run_root=b", "environment.set.A=1",
        "slurm.partition=a", "ssh.user=a", "sweep.train.seed=[1, 2]", "+include=a.yaml",
        "train.checkpoint.resume=never", "train.checkpoint=null", "train=null", "resources={}",
        "rendezvous.timeout=1m", "train.model.name=convnet"})
    EXPECT_THAT(refusal(kFit, {argument}), HasSubstr("' cannot change in a rerun: ")) << argument;
}

TEST_F(ResolvedSpec, ACommandTakesOtherArgsAndNoKeysOfATraining) {
  const std::string program = "name: x\ncommand: [prog, '{args.epochs}']\nargs: {epochs: 1}\n";
  EXPECT_EQ(changed(program, {"args.epochs=2"}).args.at("epochs"), "2");
  const auto said = refusal(program, {"train.epochs=2"});
  EXPECT_THAT(said, HasSubstr("'train.epochs' cannot change in a rerun: the run has a 'command'"));
  EXPECT_THAT(said, HasSubstr("a rerun can change these keys:\n    args\n    resources.time\n    "
                              "fault_tolerance\n    notify\n  to start"));
  EXPECT_THAT(said, Not(HasSubstr("train.checkpoint.path")));
  EXPECT_THAT(refusal(kFit, {"args.epochs=2"}), HasSubstr("the run has a 'train'"));
}

TEST_F(ResolvedSpec, AllErrorsComeAtOnceFromTheCommandLine) {
  const auto said =
      refusal(kFit, {"train.epoch=3", "train.seed=1", "train.epochs=x", "train.checkpoint.kep=1", "nothing"});
  EXPECT_THAT(said, HasSubstr("did you mean 'train.epochs'?"));
  EXPECT_THAT(said, HasSubstr("'train.seed' cannot change"));
  EXPECT_THAT(said, HasSubstr("'epochs' must be an integer, not 'x'"));
  EXPECT_THAT(said, HasSubstr("'train.checkpoint.kep' cannot change in a rerun"));
  EXPECT_THAT(said, HasSubstr("this is not KEY=VALUE"));
  EXPECT_THAT(said, Not(HasSubstr("spec.yaml")));
}

TEST_F(ResolvedSpec, AKeyOfTheSweepStaysWhatThePointIs) {
  EXPECT_THAT(
      refusal(kFit, {"train.epochs=3"}, {"train.epochs"}),
      testing::AllOf(HasSubstr("'train.epochs' cannot change in a rerun: the sweep sets it for each point"),
                     HasSubstr("sweep=null KEY=VALUE"), Not(HasSubstr("a rerun can change"))));
}

}  // namespace
}  // namespace ddp::cli
