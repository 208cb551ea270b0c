#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using SpecLayers = SpecFolder;

TEST_F(SpecLayers, TheDefaults) {
  const RunSpec spec = good(kCommand);
  EXPECT_EQ(spec.name, "run");
  EXPECT_EQ(spec.launcher, find_launcher("local"));
  EXPECT_EQ(spec.run_root, (root_ / "project/runs").string());
  EXPECT_EQ(spec.world_size(), 1);
  EXPECT_TRUE(spec.environment.inherit);
  EXPECT_EQ(spec.max_restarts(), 0);
  EXPECT_FALSE(spec.fault_tolerance.requeue);
  EXPECT_EQ(spec.command, std::vector<std::string>{"prog"});
  EXPECT_FALSE(spec.train);
  EXPECT_THAT(spec.origins.by_path,
              testing::UnorderedElementsAre(testing::Key("command"), testing::Key("command[0]")));
}

TEST_F(SpecLayers, ATrainerIsRestartedUnlessTheFileSaysOtherwise) {
  const std::string train =
      "train: {max_steps: 1, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n";
  EXPECT_EQ(good(train).max_restarts(), 3);
  EXPECT_EQ(good(train + "fault_tolerance: {max_restarts: 0}\n").max_restarts(), 0);
  EXPECT_EQ(good(kCommand + "fault_tolerance: {max_restarts: 7}\n").max_restarts(), 7);
}

TEST_F(SpecLayers, LaterLayersWin) {
  write("project/base.yaml",
        "resources: {nodes: 2, tasks_per_node: 2, cpus_per_task: 2, gpus_per_node: 2}\nslurm: {partition: a, "
        "qos: q}\n");
  write("home/.config/ddpsubmit/user.yaml",
        "resources: {tasks_per_node: 3, cpus_per_task: 3}\nslurm: {account: me}\n");
  const RunSpec spec = good(
      "include: [base.yaml]\nlauncher: slurm\nresources: {cpus_per_task: 4, gpus_per_node: 4}\n" + kCommand,
      {"resources.gpus_per_node=5"});
  EXPECT_EQ(spec.resources.nodes, 2);
  EXPECT_EQ(spec.resources.tasks_per_node, 3);
  EXPECT_EQ(spec.resources.cpus_per_task, 4);
  EXPECT_EQ(spec.resources.gpus_per_node, 5);
  EXPECT_EQ(options_of<SlurmOptions>(spec).partition, "a");
  EXPECT_EQ(options_of<SlurmOptions>(spec).account, "me");
  EXPECT_EQ(spec.origins.by_path.at("resources.nodes").describe(), "base.yaml:1");
  EXPECT_EQ(spec.origins.by_path.at("resources.tasks_per_node").describe(),
            (root_ / "home/.config/ddpsubmit/user.yaml").string() + ":1");
  EXPECT_EQ(spec.origins.by_path.at("resources.cpus_per_task").describe(), "run.yaml:3");
  EXPECT_EQ(spec.origins.by_path.at("resources.gpus_per_node").describe(), "command line");
}

/// What sbatch would read from its variables.
TEST_F(SpecLayers, VariablesOfSbatchAreBelowAllFilesOfASlurmRun) {
  environment_.set("SBATCH_ACCOUNT", "proj42").set("SBATCH_PARTITION", "high").set("SBATCH_TIMELIMIT", "90");
  environment_.set("SBATCH_QOS", "").set("SBATCH_CONSTRAINT", "a100");
  const RunSpec spec = good("launcher: slurm\nslurm: {partition: low, constraint: null}\n" + kCommand);
  const auto& options = options_of<SlurmOptions>(spec);
  EXPECT_EQ(options.account, "proj42");
  EXPECT_EQ(options.partition, "low");
  EXPECT_FALSE(options.qos);
  EXPECT_FALSE(options.constraint);
  EXPECT_EQ(spec.resources.time, std::chrono::minutes(90));
  EXPECT_EQ(spec.origins.by_path.at("slurm.account").describe(), "SBATCH_ACCOUNT");
  EXPECT_EQ(spec.origins.by_path.at("resources.time").describe(), "SBATCH_TIMELIMIT");
  EXPECT_FALSE(good(kCommand).resources.time) << "that is a local run";
  environment_.set("SBATCH_TIMELIMIT", "UNLIMITED");
  EXPECT_FALSE(good("launcher: slurm\n" + kCommand).resources.time);
}

/// One layer after the other sets the same key, and each wins over all before it.
TEST_F(SpecLayers, EachLayerWinsOverTheOneBelow) {
  struct Layer {
    const char* origin;
    std::function<void(const std::string& line)> set;
  };
  std::string own = "include: [compute/preset.yaml]\n" + kCommand;
  std::vector<std::string> arguments;
  const std::string user_file = "home/.config/ddpsubmit/user.yaml";
  const std::vector<Layer> layers = {
      {"/installed/compute/preset.yaml:1", [&](auto line) { write("installed/compute/preset.yaml", line); }},
      {"/home/.config/ddpsubmit/user.yaml:1", [&](auto line) { write(user_file, line); }},
      {"run.yaml:3", [&](auto line) { own += line; }},
      {"extra.yaml:1",
       [&](auto line) {
         write("project/extra.yaml", line);
         arguments.emplace_back("+include=extra.yaml");
       }},
      {"command line", [&](auto) { arguments.emplace_back("slurm.partition=p4"); }},
  };
  write("installed/compute/preset.yaml", "");
  EXPECT_FALSE(options_of<SlurmOptions>(good(own)).partition);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string value = "p" + std::to_string(i);
    layers[i].set("slurm: {partition: " + value + "}\n");
    const RunSpec spec = good(own, arguments);
    EXPECT_EQ(options_of<SlurmOptions>(spec).partition, value);
    EXPECT_THAT(spec.origins.by_path.at("slurm.partition").describe(), testing::EndsWith(layers[i].origin));
  }
}

TEST_F(SpecLayers, IncludesAreMergedInOrderAndMayIncludeOthers) {
  write("project/a.yaml", "include: [deep/c.yaml]\nresources: {cpus_per_task: 1}\n");
  write("project/b.yaml", "resources: {cpus_per_task: 2}\n");
  write("project/deep/c.yaml", "include: [d.yaml]\nresources: {gpus_per_node: 3, cpus_per_task: 3}\n");
  write("project/deep/d.yaml", "resources: {tasks_per_node: 4, gpus_per_node: 4}\n");
  const RunSpec spec = good("include: [a.yaml, b.yaml]\n" + kCommand);
  EXPECT_EQ(spec.resources.cpus_per_task, 2);
  EXPECT_EQ(spec.resources.gpus_per_node, 3);
  EXPECT_EQ(spec.resources.tasks_per_node, 4);
  EXPECT_EQ(spec.origins.by_path.at("resources.tasks_per_node").describe(), "deep/d.yaml:1");
}

TEST_F(SpecLayers, IncludesAreLookedForBesideTheFileThenAtTheUsersThenInstalled) {
  write("installed/x.yaml", "resources: {cpus_per_task: 3}\n");
  EXPECT_EQ(good("include: [x.yaml]\n" + kCommand).resources.cpus_per_task, 3);
  write("home/.config/ddpsubmit/x.yaml", "resources: {cpus_per_task: 2}\n");
  EXPECT_EQ(good("include: [x.yaml]\n" + kCommand).resources.cpus_per_task, 2);
  write("project/x.yaml", "resources: {cpus_per_task: 1}\n");
  EXPECT_EQ(good("include: [x.yaml]\n" + kCommand).resources.cpus_per_task, 1);
}

TEST_F(SpecLayers, AnIncludedArgumentLiesOverTheFileAndUnderTheValues) {
  write("project/extra.yaml", "resources: {cpus_per_task: 7, tasks_per_node: 7}\n");
  const RunSpec spec = good("resources: {cpus_per_task: 1}\n" + kCommand,
                            {"resources.tasks_per_node=2", "+include=extra.yaml"});
  EXPECT_EQ(spec.resources.cpus_per_task, 7);
  EXPECT_EQ(spec.resources.tasks_per_node, 2);
}

TEST_F(SpecLayers, AMissingIncludeSaysWhereItWasLookedFor) {
  const std::string folders = (root_ / "project").string() + ", " +
                              (root_ / "home/.config/ddpsubmit").string() + ", " +
                              (root_ / "installed").string();
  EXPECT_EQ(diagnose("include: [gone.yaml]\n" + kCommand),
            "error: there is no file 'gone.yaml' to include\n"
            "  --> run.yaml:1:11\n"
            "   |\n"
            " 1 | include: [gone.yaml]\n"
            "   |           ^^^^^^^^^ help: looked in " +
                folders + "; to list the presets: ddpsubmit presets\n");
  EXPECT_EQ(error_of(kCommand, {"+include=gone.yaml"}), "0 there is no file 'gone.yaml' to include");
}

TEST_F(SpecLayers, AMissingIncludeIsLookedForUnderNearNames) {
  write("installed/compute/a100_4x.yaml", "");
  write("home/.config/ddpsubmit/mine/short.yaml", "");
  write("project/base.yaml", "");
  const auto hint_of = [&](const std::string& file) {
    const std::string text = diagnose("include: [" + file + "]\n" + kCommand);
    return text.substr(text.find("help: "));
  };
  EXPECT_EQ(hint_of("compute/a100_4.yaml"), "help: did you mean 'compute/a100_4x.yaml'?\n");
  EXPECT_EQ(hint_of("a100_4x.yaml"), "help: did you mean 'compute/a100_4x.yaml'?\n");
  EXPECT_EQ(hint_of("short.yaml"), "help: did you mean 'mine/short.yaml'?\n");
  EXPECT_EQ(hint_of("bsae.yaml"), "help: did you mean 'base.yaml'?\n");
  EXPECT_EQ(hint_of("a100_8x.yaml"), "help: did you mean 'compute/a100_4x.yaml'?\n");
  EXPECT_EQ(hint_of("A100_4X"), "help: did you mean 'compute/a100_4x.yaml'?\n");
  EXPECT_EQ(hint_of("gpus/a100_4.yaml"), "help: did you mean 'compute/a100_4x.yaml'?\n");
  write("installed/compute/a100_8x.yaml", "");
  EXPECT_EQ(hint_of("a100"), "help: did you mean 'compute/a100_4x.yaml' or 'compute/a100_8x.yaml'?\n");
}

TEST_F(SpecLayers, AnIncludeThatLoopsIsAnError) {
  write("project/a.yaml", "include: [b.yaml]\n");
  write("project/b.yaml", "x: 1\ninclude: [a.yaml]\n");
  EXPECT_EQ(diagnose("include: [a.yaml]\n" + kCommand),
            "error: 'a.yaml' includes itself\n  --> b.yaml:2:11\n   |\n 2 | include: [a.yaml]\n   |          "
            " ^^^^^^ help: remove one of the includes: run.yaml -> a.yaml -> b.yaml -> a.yaml\n");
  EXPECT_EQ(error_of("include: [run.yaml]\n" + kCommand), "1 'run.yaml' includes itself");
}

TEST_F(SpecLayers, IncludesThatDoubleEndAtTheLimit) {
  for (int i = 0; i < 20; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    write("project/" + std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  write("project/20.yaml", "resources: {nodes: 1}\n");
  EXPECT_NE(diagnose("include: [0.yaml]\n" + kCommand).find("more than 64 included files"),
            std::string::npos);
}

TEST_F(SpecLayers, ErrorsOfAllFilesComeTogether) {
  write("project/bad.yaml", "a: 1\na: 2\n");
  write("project/worse.yaml", "b: [\n");
  EXPECT_EQ(
      diagnose("include: [worse.yaml, bad.yaml]\n", {"nonsense"}),
      "error: the key 'a' appears twice\n  --> bad.yaml:2:1\n   |\n 2 | a: 2\n   | ^ help: the first "
      "is on line 1\n\nerror: this '[' is not closed\n  --> worse.yaml:1:4\n   |\n 1 | "
      "b: [\n   |    ^ help: add the ']'\n\nerror: this is not KEY=VALUE\n  --> command line\n   |\n   | "
      "nonsense\n   | ^^^^^^^^ help: KEY is a dotted path: resources.nodes=2\n");
}

TEST_F(SpecLayers, AShellScriptIsRecognised) {
  const std::string hint = " help: print the configuration that it stands for: ddpsubmit import run.yaml\n";
  EXPECT_EQ(diagnose("#!/bin/bash\n#SBATCH --nodes=2\nmodule load cuda\nsrun python train.py\n"),
            "error: 'run.yaml' is a batch script, but a configuration is a YAML file\n  --> run.yaml:1:1\n   "
            "|\n 1 | "
            "#!/bin/bash\n   | ^^^^^^^^^^^" +
                hint);
  EXPECT_EQ(error_of("#!/bin/sh\necho \"$1\": a: b\n"),
            "1 'run.yaml' is a script, but a configuration is a YAML file");
  EXPECT_EQ(error_of("#SBATCH --nodes=2\n[ -e a ] && exit\n"),
            "1 'run.yaml' is a batch script, but a configuration is a YAML file");
  EXPECT_EQ(error_of("#!/usr/bin/env -S ddpsubmit run\n" + kCommand), "no error");
  EXPECT_EQ(error_of("#SBATCH --nodes=2\n" + kCommand), "no error");
}

TEST_F(SpecLayers, AListOnTheCommandLineIsShownAsItIsTypedThere) {
  write("project/first.yaml", kCommand);
  const auto spec = load_run_spec({.file = "project/first.yaml",
                                   .arguments = {"notify.command=cat"},
                                   .environment = EnvMap(),
                                   .current_folder = root_,
                                   .installed_folder = {}});
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().front().hint, "write it in brackets: 'notify.command=[cat]'");
}

TEST_F(SpecLayers, AFileThatIsNotThereMayHaveAnotherName) {
  const auto hint_of = [&](const std::string& file) {
    const auto spec = load_run_spec({.file = file,
                                     .arguments = {},
                                     .environment = EnvMap(),
                                     .current_folder = root_,
                                     .installed_folder = {}});
    return spec ? "no error" : spec.error().front().hint;
  };
  write("project/first.yaml", kCommand);
  write("project/training.yml", kCommand);
  EXPECT_EQ(hint_of("project/first.yml"), "did you mean 'project/first.yaml'?");
  EXPECT_EQ(hint_of("project/first"), "did you mean 'project/first.yaml'?");
  EXPECT_EQ(hint_of("project/training2.yaml"), "did you mean 'project/training.yml'?");
  EXPECT_EQ(hint_of("project/other.yaml"), "check the path");
  EXPECT_EQ(hint_of("nowhere/first.yaml"), "check the path");
  EXPECT_EQ(hint_of("launcher=slurm"), "the configuration file comes first: CONFIG launcher=slurm");
  EXPECT_EQ(hint_of("a=b/first.yaml"), "the configuration file comes first: CONFIG a=b/first.yaml");
}

TEST_F(SpecLayers, TheListOfIncludesIsChecked) {
  EXPECT_EQ(error_of("include: a.yaml\n" + kCommand), "1 'include' must be a list of files");
  EXPECT_EQ(error_of("include: [[a]]\n" + kCommand), "1 each item of 'include' must be a file");
  EXPECT_EQ(error_of(kCommand, {"include=[a.yaml]"}), "0 an argument cannot set 'include'");
}

TEST_F(SpecLayers, PathsStartWhereTheyAreWritten) {
  write("project/deep/base.yaml", "run_root: here\nslurm: {template: t.mustache}\n");
  EXPECT_EQ(good("include: [deep/base.yaml]\n" + kCommand).run_root, (root_ / "project/deep/here").string());
  const RunSpec spec = good("include: [deep/base.yaml]\n" + kCommand, {"run_root=../there"});
  EXPECT_EQ(spec.run_root, (root_ / "there").string());
  EXPECT_EQ(options_of<SlurmOptions>(spec).template_file, (root_ / "project/deep/t.mustache").string());
  EXPECT_EQ(good("run_root: ~/runs\n" + kCommand).run_root, (root_ / "home/runs").string());
}

TEST_F(SpecLayers, EachItemOfAListOfTextsHasItsPlace) {
  const RunSpec spec = good("environment:\n  setup:\n    - first\n    - second\n" + kCommand);
  EXPECT_EQ(spec.origins.by_path.at("environment.setup[0]").describe(), "run.yaml:3");
  EXPECT_EQ(spec.origins.by_path.at("environment.setup[1]").describe(), "run.yaml:4");
}

TEST_F(SpecLayers, ANullSetsTheDefaultBack) {
  const RunSpec spec = good("resources: {cpus_per_task: 4, time: 1h}\n" + kCommand,
                            {"resources.time=null", "resources.cpus_per_task=~"});
  EXPECT_EQ(spec.resources.cpus_per_task, 1);
  EXPECT_FALSE(spec.resources.time);
}

TEST_F(SpecLayers, TheUsersFolderFollowsXdg) {
  write("project/run.yaml", kCommand);
  write("xdg/ddpsubmit/user.yaml", "slurm: {account: xdg}\n");
  const auto spec = load_run_spec({.file = root_ / "project/run.yaml",
                                   .arguments = {},
                                   .environment = EnvMap({{"XDG_CONFIG_HOME", (root_ / "xdg").string()}}),
                                   .current_folder = root_,
                                   .installed_folder = {}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(options_of<SlurmOptions>(*spec).account, "xdg");
  EXPECT_EQ(spec->run_root, (root_ / "runs").string());
}

TEST_F(SpecLayers, AMissingFileIsNotFound) {
  const auto spec = load();
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().front().code, ExitCode::not_found);
}

}  // namespace
}  // namespace ddp::cli
