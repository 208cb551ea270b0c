#include "cli/spec/command_args.hpp"

#include <gmock/gmock.h>

#include "cli/spec/render_spec.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using CommandArgs = SpecFolder;

const std::string kArgsCommand = "name: x\ncommand: [prog, --lr, '{args.lr}', '{args.lr}/{args.lr}']\n";

TEST_F(CommandArgs, StandInTheWordsOfTheCommand) {
  const RunSpec spec = good(kArgsCommand + "args: {lr: 1e-3}\n");
  EXPECT_THAT(command_of(spec), ElementsAre("prog", "--lr", "1e-3", "1e-3/1e-3"));
  EXPECT_THAT(command_of(good(kArgsCommand, {"args.lr=0.5"})), ElementsAre("prog", "--lr", "0.5", "0.5/0.5"));
  EXPECT_THAT(warn_of_args(spec), IsEmpty());
}

TEST_F(CommandArgs, AreOneWordEachWhateverTheyHold) {
  const RunSpec spec = good("command: [prog, '{args.a}']\nargs: {a: \"$(x) 'y' {args.a}\"}\n");
  EXPECT_THAT(command_of(spec), ElementsAre("prog", "$(x) 'y' {args.a}"));
}

TEST_F(CommandArgs, OtherBracesAreText) {
  const RunSpec spec =
      good("command: [prog, '{args.}', '{args.a', '{args.a b}', '{}', '{{args.a}}']\nargs: {a: 1}\n");
  EXPECT_THAT(command_of(spec), ElementsAre("prog", "{args.}", "{args.a", "{args.a b}", "{}", "{1}"));
}

TEST_F(CommandArgs, DifferBetweenThePointsOfASweep) {
  const RunSpec spec = good(kArgsCommand + "sweep: {args.lr: [0.1, 0.01]}\n");
  ASSERT_EQ(spec.points.size(), 2u);
  EXPECT_THAT(command_of(spec.points[1]), ElementsAre("prog", "--lr", "0.01", "0.01/0.01"));
  const std::string text = render_spec(spec.points[1]);
  EXPECT_THAT(text, HasSubstr("args:\n  lr: \"0.01\" "));
  EXPECT_THAT(text, HasSubstr("{args.lr}"));
  write("runs/x/spec.yaml", text);
  const auto again = load_resolved_spec(root_ / "runs/x/spec.yaml");
  ASSERT_TRUE(again) << render_diagnostics(again ? Errors{} : again.error());
  EXPECT_EQ(*again, spec.points[1]);
}

TEST_F(CommandArgs, ThatAreNotUsedAreErrors) {
  EXPECT_EQ(error_of("command: [prog]\nargs: {lr: 1}\n"), "2 'args.lr' is not used");
  EXPECT_EQ(error_of("command: [prog, '{args.a b}']\nargs: {a b: 1}\n"),
            "2 'a b' is not a valid argument name");
  EXPECT_EQ(error_of("command: ['{args.prog}']\nargs: {prog: ''}\n"), "1 'command' has no program");
  EXPECT_EQ(error_of("command: [prog]\nsweep: {args.lr: [1, 2]}\n"), "2 'args.lr' is not used");
  EXPECT_THAT(diagnose("args: {lr: 1}\ntrain: {epochs: 1, model: {name: mlp}, data: {name: synthetic}, "
                       "optimizer: {name: sgd}}\n"),
              HasSubstr("args are for a 'command'"));
}

TEST_F(CommandArgs, ThatHaveNoValueAreErrorsWhereThereAreOthers) {
  EXPECT_EQ(diagnose("command: [prog, '{args.lr}', '{args.rl}']\nargs: {lr: 1}\n"),
            "error: '{args.rl}' has no value\n"
            "  --> run.yaml:1:30\n"
            "   |\n"
            " 1 | command: [prog, '{args.lr}', '{args.rl}']\n"
            "   |                              ^^^^^^^^^^^ help: did you mean 'lr'?\n");
  const RunSpec spec = good("command: [prog, 'f\"{args.lr}\"']\n");
  EXPECT_THAT(command_of(spec), ElementsAre("prog", "f\"{args.lr}\""));
  EXPECT_THAT(warn_of_args(spec), ElementsAre("run.yaml:1:17: {args.lr} has no value, so it is passed to the "
                                              "program unchanged; set args.lr, or sweep over it"));
}

}  // namespace
}  // namespace ddp::cli
