#include <gmock/gmock.h>

#include <set>

#include "cli/spec/component_keys.hpp"
#include "cli/spec/foreign_keys.hpp"
#include "jobenv/config/suggestion.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using SpecChecks = SpecFolder;

const std::string kTrain =
    "train: {epochs: 1, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n";

TEST_F(SpecChecks, TheTypoOfTheDocumentation) {
  EXPECT_EQ(diagnose("command: [prog]\nlauncher: slurm\nresources:\n  nodess: 2\n"),
            "error: unknown key 'nodess'\n"
            "  --> run.yaml:4:3\n"
            "   |\n"
            " 4 |   nodess: 2\n"
            "   |   ^^^^^^ help: did you mean 'nodes'?\n");
}

TEST_F(SpecChecks, AnArgumentIsShownWithItsKey) {
  EXPECT_EQ(diagnose(kCommand, {"launcher=slurm", "resources.nodess=2"}),
            "error: unknown key 'nodess'\n"
            "  --> command line\n"
            "   |\n"
            "   | resources.nodess=2\n"
            "   |           ^^^^^^ help: did you mean 'nodes'?\n");
  EXPECT_EQ(error_of(kCommand, {"launchr=slurm"}), "0 unknown key 'launchr'");
}

TEST_F(SpecChecks, AKeyAtTheWrongLevelIsSentToItsOwn) {
  const auto help = [&](const std::string& text, std::vector<std::string> arguments = {}) {
    const std::string shown = diagnose(text, std::move(arguments));
    const auto start = shown.find("help: ");
    return start == std::string::npos ? shown : shown.substr(start + 6);
  };
  EXPECT_EQ(help(kCommand, {"nodes=2"}), "did you mean 'resources.nodes'?\n");
  EXPECT_EQ(help("nodes: 2\n" + kCommand), "did you mean 'resources.nodes'?\n");
  EXPECT_EQ(help("time: 1h\n" + kCommand), "did you mean 'resources.time'?\n");
  EXPECT_EQ(help(kCommand + "resources: {partition: p}\n"), "did you mean 'slurm.partition'?\n");
  EXPECT_EQ(help(kTrain, {"train.learning_rate=1"}), "did you mean 'train.optimizer.learning_rate'?\n");
  EXPECT_EQ(help(kTrain, {"optimizer.learning_rate=1"}), "did you mean 'train.optimizer'?\n");
  EXPECT_EQ(help(kCommand + "epochs: 2\n"), "did you mean 'train.epochs'?\n");
  EXPECT_EQ(help(kCommand + "setup: [a]\n"), "did you mean 'slurm.setup' or 'environment.setup'?\n");
  EXPECT_EQ(help(kTrain + "slurm: {launcher: slurm}\n"), "did you mean 'launcher' at the top level?\n");
  EXPECT_EQ(help(kTrain, {"train.optimizer.lr=1"}), "did you mean 'learning_rate'?\n");
  EXPECT_EQ(help(kTrain, {"train.lr=1"}), "did you mean 'train.optimizer.learning_rate'?\n");
  EXPECT_EQ(help(kTrain, {"train.log.every=10"}), "did you mean 'every_steps'?\n");
}

TEST_F(SpecChecks, AKeyUnderTheNameOfAnotherToolIsSentToItsOwn) {
  const auto help = [&](const std::string& text) {
    const std::string shown = diagnose(text + kCommand);
    const auto start = shown.find("help: ");
    return start == std::string::npos ? shown : shown.substr(start + 6);
  };
  EXPECT_EQ(help("resources: {mem: 64GiB}\n"), "use resources.memory, the memory per node, such as 64GiB\n");
  EXPECT_EQ(help("resources: {ntasks_per_node: 4}\n"), "use resources.tasks_per_node\n");
  EXPECT_EQ(help("nproc_per_node: 4\n"), "use resources.tasks_per_node\n");
  EXPECT_EQ(help("job-name: x\n"), "use name, at the top level\n");
  EXPECT_EQ(help("env: {A: 1}\n"),
            "use environment.set, a map of variables: environment: {set: {NAME: value}}\n");
  EXPECT_EQ(help("walltime: 1h\n"), "use resources.time\n");
  EXPECT_EQ(help("partition: gpu\n"), "did you mean 'slurm.partition'?\n");
  EXPECT_EQ(help("slurm: {mail-type: END}\n"), "did you mean 'mail_type'?\n");
  EXPECT_EQ(help("cpus-per-task: 8\n"), "did you mean 'resources.cpus_per_task'?\n");
  EXPECT_EQ(help("resources: {gres: 'gpu:4'}\n"),
            "use resources.gpus_per_node for GPUs, slurm.gres for other resources\n");
  EXPECT_EQ(help("slurm: {array: 0-3}\n"), "write a sweep: sweep: {args.lr: [0.1, 0.01]}\n");
}

TEST_F(SpecChecks, KeysOfOtherToolsLeadToKeysThatThereAre) {
  std::set<std::string> known;
  for (const KeyRow& row : all_keys({})) known.insert(row.path);
  for (const ForeignKey& foreign : foreign_keys()) {
    EXPECT_EQ(name_as_key(foreign.name), foreign.name);
    EXPECT_TRUE(foreign.key.empty() || known.contains(std::string(foreign.key))) << foreign.name;
  }
}

TEST_F(SpecChecks, WhatFollowsFromAWrongLauncherIsNotTold) {
  EXPECT_EQ(error_of("launcher: slrum\nresources: {nodes: 2}\n" + kCommand),
            "1 'launcher' must be local, slurm or ssh, not 'slrum'");
}

TEST_F(SpecChecks, AllErrorsComeAtOnceInOrder) {
  write("project/run.yaml",
        "name: -x\nlauncher: pbs\nresources: {nodes: 0, time: 5}\ntrian: {}\ntrain: {epohcs: 1}\n");
  const auto spec = load();
  ASSERT_FALSE(spec);
  std::vector<std::string> messages;
  for (const Error& error : spec.error()) messages.push_back(error.message);
  EXPECT_EQ(messages, (std::vector<std::string>{
                          "'-x' is not a valid run name", "'launcher' must be local, slurm or ssh, not 'pbs'",
                          "'nodes' must be between 1 and 65536, not '0'",
                          "'time' must be a duration, not '5'", "unknown key 'trian'", "'model' needs a name",
                          "'data' needs a name", "'optimizer' needs a name", "unknown key 'epohcs'"}));
}

TEST_F(SpecChecks, WhatFollowsFromAMisspeltKeyIsNotTold) {
  EXPECT_EQ(diagnose("comand: [prog]\n"),
            "error: unknown key 'comand'\n"
            "  --> run.yaml:1:1\n"
            "   |\n"
            " 1 | comand: [prog]\n"
            "   | ^^^^^^ help: did you mean 'command'?\n");
  EXPECT_EQ(error_of("comand: [prog, '{args.lr}']\nargs: {lr: 1}\n"), "1 unknown key 'comand'");
  EXPECT_EQ(error_of("cmd: [prog]\n"), "1 unknown key 'cmd'");
  EXPECT_EQ(error_of("trian" + kTrain.substr(5)), "1 unknown key 'trian'");
  EXPECT_EQ(error_of("command: [prog]\nlancher: slurm\nresources: {nodes: 2}\n"), "2 unknown key 'lancher'");
  EXPECT_EQ(
      error_of(
          "train: {epoch: 1, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n"),
      "1 unknown key 'epoch'");
  EXPECT_EQ(
      error_of(
          "train: {epochs: 1, model: {nam: mlp}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n"),
      "1 unknown key 'nam'");
  EXPECT_EQ(error_of(kCommand + "sweep: {enviroment.set.A: [1, 2]}\n"), "2 unknown key 'enviroment'");
}

TEST_F(SpecChecks, ErrorsBelowAMisspeltKeyAreTold) {
  EXPECT_THAT(messages_of("trian:\n  epohcs: x\n  model: {name: mlp}\n  data: {name: fashion_mnist}\n"
                          "  optimizer: {name: adam}\n"),
              testing::ElementsAre("unknown key 'trian'", "unknown key 'epohcs'",
                                   "'epochs' must be an integer, not 'x'"));
  EXPECT_THAT(messages_of("cmd: prog\n"),
              testing::ElementsAre("unknown key 'cmd'", "'command' must be a list, not 'prog'"));
}

TEST_F(SpecChecks, AWrongNameHidesNoWrongOption) {
  const auto with = [&](const std::string& optimizer) {
    return messages_of("train: {epochs: 1, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: " +
                       optimizer + "}\n");
  };
  EXPECT_THAT(with("{name: sgdd, learning_rate: fast, momentum: 0.9}"),
              testing::ElementsAre("'name' must be sgd, adam or adamw, not 'sgdd'",
                                   "'learning_rate' must be a number, not 'fast'"));
  EXPECT_THAT(with("{name: sgdd, fast: 3}"),
              testing::ElementsAre("'name' must be sgd, adam or adamw, not 'sgdd'", "unknown key 'fast'"));
  EXPECT_THAT(with("{beta1: 2}"),
              testing::ElementsAre("'optimizer' needs a name", testing::StartsWith("'beta1' must be")));
  EXPECT_THAT(messages_of("train: {program: ./mine, epochs: 1, model: {name: own, depth: 3}, "
                          "data: {name: fashion_mnist}, optimizer: {name: adam}}\n"),
              testing::Not(testing::Contains("unknown key 'depth'")))
      << "only the program knows";
  EXPECT_THAT(with("sgdd"), testing::ElementsAre("'optimizer' must be a map of keys, not 'sgdd'"));
  EXPECT_THAT(with("{name: sgd}, schedule: {name: cosin, min_learning_rate: low}"),
              testing::ElementsAre(testing::StartsWith("'name' must be constant, "),
                                   "'min_learning_rate' must be a number, not 'low'"));
}

TEST_F(SpecChecks, NamesAreFitForFolders) {
  for (const char* name : {"a", "A.b_c-9", "0x"})
    EXPECT_EQ(good(std::string("name: ") + name + "\n" + kCommand).name, name);
  for (const char* name : {"-a", ".a", "a/b", "a b", "ä", "..", "'$x'"}) {
    EXPECT_NE(error_of(std::string("name: ") + name + "\n" + kCommand).find("is not a valid run name"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(error_of("name: " + std::string(64, 'a') + "\n" + kCommand), "no error");
  EXPECT_NE(error_of("name: " + std::string(65, 'a') + "\n" + kCommand), "no error");
}

TEST_F(SpecChecks, AWrongNameIsPointedAt) {
  const std::string message =
      "error: 'my run' is not a valid run name\n  --> run.yaml:1:7\n   |\n 1 | name: my run\n   |       "
      "^^^^^^ help: ";
  EXPECT_TRUE(diagnose("name: my run\n" + kCommand).starts_with(message))
      << diagnose("name: my run\n" + kCommand);
}

TEST_F(SpecChecks, ThereIsExactlyOneProgram) {
  EXPECT_EQ(error_of("launcher: local\n"), "nothing to run: there is neither 'train' nor 'command'");
  EXPECT_EQ(error_of("train: null\n"), "nothing to run: there is neither 'train' nor 'command'");
  EXPECT_EQ(error_of(kCommand + kTrain), "1 'command' and 'train' are both set");
  EXPECT_EQ(error_of(kCommand, {"train.epochs=3"}), "0 'command' and 'train' are both set");
  EXPECT_EQ(error_of(kCommand + "sweep: {train.seed: [1, 2]}\n"), "1 'command' and 'train' are both set");
  EXPECT_THAT(diagnose(kCommand + kTrain), testing::HasSubstr("'train' is set at run.yaml:2:1: keep one"));
  EXPECT_THAT(diagnose(kCommand, {"train.epochs=3"}),
              testing::HasSubstr("'command' is set at run.yaml:1:10: keep one"));
  const std::string train = "train: {epochs: x, model: {name: mpl}}\nresources: {nodess: 1}\nname: -x\n";
  EXPECT_THAT(messages_of(train + kCommand),
              testing::ElementsAre("'epochs' must be an integer, not 'x'",
                                   "'name' must be mlp, convnet, resnet18, resnet34 or resnet50, not 'mpl'",
                                   "unknown key 'nodess'", "'-x' is not a valid run name",
                                   "'command' and 'train' are both set"));
  EXPECT_EQ(error_of("command: []\n"), "1 'command' has no program");
  EXPECT_EQ(error_of("command: ['']\n"), "1 'command' has no program");
  EXPECT_EQ(error_of("command: prog\n"), "1 'command' must be a list, not 'prog'");
  EXPECT_EQ(error_of(kTrain), "no error");
}

TEST_F(SpecChecks, NotifyNamesAProgramAndEvents) {
  EXPECT_EQ(error_of("notify: {command: [./notify.sh], events: [ended, first_step]}\n" + kCommand),
            "no error");
  EXPECT_EQ(error_of("notify: {command: ['']}\n" + kCommand), "1 'notify.command' has no program");
  EXPECT_EQ(
      error_of("notify: {command: [a], events: [finish]}\n" + kCommand),
      "1 each item of 'events' must be ended, failed, restarted, requeued, first_step, hang_suspected or "
      "checkpoint_failed, not 'finish'");
  EXPECT_EQ(error_of("notify: {command: ./notify.sh}\n" + kCommand),
            "1 'command' must be a list, not './notify.sh'");
}

TEST_F(SpecChecks, ARunThatIsRequeuedGoesOnFromItsCheckpoints) {
  const std::string requeue = "fault_tolerance: {requeue: true}\nlauncher: slurm\n" + kTrain;
  EXPECT_EQ(error_of(requeue), "no error");
  EXPECT_EQ(
      error_of(requeue, {"train.checkpoint.resume=never"}),
      "0 with 'never' a requeued job would start from the beginning, but fault_tolerance.requeue is true");
}

TEST_F(SpecChecks, LocalHasOneNode) {
  EXPECT_EQ(error_of("resources: {nodes: 2}\n" + kCommand),
            "1 launcher 'local' uses one node, but resources.nodes is 2");
  EXPECT_EQ(error_of("launcher: slurm\nresources: {nodes: 2}\n" + kCommand), "no error");
}

TEST_F(SpecChecks, TheTimeLeavesRoomForTheStopSignal) {
  const auto with = [&](const std::string& time, const std::string& rest) {
    return error_of("launcher: slurm\nresources: {time: " + time + "}\n" + rest);
  };
  EXPECT_EQ(with("3m", kTrain), "2 a time limit of 3m is too short: the stop signal comes 2m before it");
  EXPECT_EQ(with("3m1s", kTrain), "no error");
  EXPECT_THAT(
      diagnose("launcher: slurm\nresources: {time: 10m}\n" + kTrain, {"fault_tolerance.signal_lead=1h"}),
      testing::HasSubstr("help: set resources.time above 1h1m, or fault_tolerance.signal_lead below 9m\n"));
  EXPECT_THAT(diagnose("launcher: slurm\nresources: {time: 1m}\n" + kTrain),
              testing::HasSubstr("help: set resources.time above 3m, or fault_tolerance.signal: none\n"));
  EXPECT_EQ(with("3m", kTrain + "fault_tolerance: {signal_lead: 1m}\n"), "no error");
  EXPECT_EQ(with("3m", kTrain + "fault_tolerance: {signal: none}\n"), "no error");
  EXPECT_EQ(with("3m", kCommand), "no error");
  EXPECT_NE(with("3m", kCommand + "fault_tolerance: {signal: USR1}\n"), "no error");
  EXPECT_EQ(error_of("resources: {time: 10s}\n" + kTrain), "no error");
}

TEST_F(SpecChecks, TheStopSignalDependsOnTheProgram) {
  EXPECT_EQ(good(kTrain).stop_signal(), "USR2");
  EXPECT_EQ(good(kCommand).stop_signal(), "USR2");
  EXPECT_EQ(good(kCommand + "resources: {time: 3m}\n").stop_signal(), std::nullopt)
      << "there is no time for it";
  EXPECT_EQ(good(kCommand + "resources: {time: 181s}\n").stop_signal(), "USR2");
  EXPECT_EQ(good(kCommand + "fault_tolerance: {signal: USR1}\n").stop_signal(), "USR1");
  EXPECT_EQ(good(kTrain + "fault_tolerance: {signal: none}\n").stop_signal(), std::nullopt);
  EXPECT_EQ(error_of(kTrain + "fault_tolerance: {signal: TERM}\n"),
            "2 'signal' cannot be 'TERM': Slurm and users send it to end a run");
}

TEST_F(SpecChecks, ACommandMayBeSilentForAMinuteAtLeast) {
  EXPECT_EQ(error_of(kCommand + "fault_tolerance: {hang_timeout: 59s}\n"),
            "2 the shortest hang_timeout of a command is 1m, not 59s");
  for (const char* timeout : {"1m", "off", "auto"})
    EXPECT_EQ(error_of(kCommand + "fault_tolerance: {hang_timeout: " + timeout + "}\n"), "no error");
  EXPECT_EQ(error_of(kTrain + "fault_tolerance: {hang_timeout: 1s}\n"), "no error");
}

TEST_F(SpecChecks, VariablesHaveNames) {
  EXPECT_EQ(error_of("environment: {set: {A-B: 1}}\n" + kCommand), "1 'A-B' is not a valid variable name");
  EXPECT_EQ(error_of("environment: {pass: [1A]}\n" + kCommand), "1 '1A' is not a valid variable name");
  EXPECT_EQ(error_of("environment: {secrets: ['A=b']}\n" + kCommand), "1 'A=b' is not a valid variable name");
  EXPECT_EQ(error_of("environment: {set: {RANK: 1}}\n" + kCommand), "1 'RANK' is set by ddpsubmit");
  EXPECT_EQ(error_of("environment: {set: {DDPSUBMIT_X: 1}}\n" + kCommand),
            "1 'DDPSUBMIT_X' is set by ddpsubmit");
  EXPECT_EQ(error_of("environment: {set: {TORCHELASTIC_RUN_ID: x}}\n" + kCommand), "no error");
  EXPECT_EQ(error_of("environment: {pass: [TORCHELASTIC_RUN_ID]}\n" + kCommand),
            "1 'TORCHELASTIC_RUN_ID' is set by ddpsubmit");
  EXPECT_EQ(error_of("environment: {set: {TORCHELASTIC_X: 1}}\n" + kCommand),
            "1 'TORCHELASTIC_X' is set by ddpsubmit");
  EXPECT_EQ(error_of("environment: {set: {K: v}, secrets: [K]}\n" + kCommand),
            "1 'K' is under both 'set' and 'secrets'");
  EXPECT_EQ(good("environment: {set: {K: 010}}\n" + kCommand).environment.set.at("K"), "010");
}

TEST_F(SpecChecks, OptionsOfSbatchThatHaveAKeyOfTheirOwnAreRefused) {
  const auto with = [&](const std::string& options) {
    return diagnose("slurm: {options: " + options + "}\n" + kCommand);
  };
  EXPECT_EQ(with("{contiguous: '', hint: nomultithread}"), "no error");
  EXPECT_NE(with("{gpus-per-task: 1}").find("help: use resources.gpus_per_node"), std::string::npos);
  EXPECT_EQ(with("{nod: 3}"),
            "error: 'nod' is an abbreviation of several options of sbatch\n  --> run.yaml:1:19\n   |\n 1 | "
            "slurm: {options: {nod: 3}}\n   |                   ^^^ help: write the full name: nodefile, "
            "nodelist or nodes\n");
  EXPECT_EQ(diagnose("slurm:\n  options:\n    N: 3\n" + kCommand),
            "error: 'N' is an abbreviation of sbatch's '--nodes', which has a key of its own\n  --> "
            "run.yaml:3:5\n   |\n 3 |     N: 3\n   |     ^ help: use resources.nodes\n");
}

TEST_F(SpecChecks, OptionsOfSrunThatARunReliesOnAreRefused) {
  EXPECT_EQ(diagnose("slurm: {srun_options: {container-image: a.sqsh, overlap: ''}}\n" + kCommand),
            "no error");
  EXPECT_EQ(
      diagnose("slurm:\n  srun_options:\n    label: ''\n" + kCommand),
      "error: srun's '--label' is set by ddp-agent: the output of ranks goes to files in the run folder\n  "
      "--> run.yaml:3:5\n   |\n 3 |     label: ''\n   |     ^^^^^ help: show the output: ddpsubmit logs\n");
}

TEST_F(SpecChecks, AJobDependsOnWhatSlurmKnows) {
  EXPECT_EQ(error_of("slurm: {dependency: 'afterok:12,singleton'}\n" + kCommand), "no error");
  EXPECT_EQ(error_of("slurm: {dependency: after-ok:12}\n" + kCommand),
            "1 'after-ok:12' is not a dependency that Slurm accepts: it does not begin with a type");
}

TEST_F(SpecChecks, SegmentsHaveAsManyNodesEach) {
  const std::string nodes = "launcher: slurm\nresources: {nodes: 6}\n" + kCommand;
  EXPECT_EQ(error_of("slurm: {segment: 3}\n" + nodes), "no error");
  EXPECT_EQ(error_of("slurm: {segment: 8}\n" + nodes), "no error") << "some versions of Slurm take it";
  EXPECT_EQ(error_of("slurm: {segment: 4}\n" + nodes),
            "1 resources.nodes is 6, which is not a multiple of slurm.segment, 4");
}

TEST_F(SpecChecks, ALinkToALogHasANameOfItsOwnForEachPoint) {
  const std::string sweep = "launcher: slurm\nsweep: {environment.set.X: [1, 2]}\n" + kCommand;
  EXPECT_EQ(error_of("slurm: {output: newest.out}\n" + kCommand), "no error");
  EXPECT_EQ(error_of("slurm: {exclusive: mine}\n" + kCommand),
            "1 'exclusive' must be nodes, user, mcs or topo, not 'mine'");
  EXPECT_EQ(error_of("slurm: {output: '%x-%j.out'}\n" + sweep), "no error");
  EXPECT_EQ(error_of("slurm: {output: '%A_%a.out'}\n" + sweep), "no error");
  EXPECT_EQ(error_of("slurm: {output: '%s.out'}\n" + kCommand), "1 '%s' is not a known placeholder");
  EXPECT_NE(
      error_of("slurm: {output: '%a.out'}\n" + sweep).find("all points of the sweep would use the same link"),
      std::string::npos);
}

TEST_F(SpecChecks, CudaOnSlurmNeedsAGpuForEachReplica) {
  const std::string train =
      "train: {epochs: 1, device: cuda, strategy: data_parallel, data_parallel: {replicas: 4}, model: {name: "
      "mlp}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n";
  EXPECT_EQ(error_of("launcher: slurm\nresources: {gpus_per_node: 2}\n" + train),
            "3 4 replicas need a GPU each, but resources.gpus_per_node is 2");
  EXPECT_EQ(error_of("launcher: slurm\nresources: {gpus_per_node: 4}\n" + train), "no error");
}

TEST_F(SpecChecks, CudaOnSlurmNeedsAGpuForEachRank) {
  const std::string train =
      "train: {epochs: 1, device: cuda, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: {name: "
      "adam}}\n";
  EXPECT_EQ(error_of("launcher: slurm\nresources: {tasks_per_node: 4, gpus_per_node: 2}\n" + train),
            "3 4 ranks per node need a GPU each, but resources.gpus_per_node is 2");
  EXPECT_EQ(error_of("launcher: slurm\nresources: {tasks_per_node: 4, gpus_per_node: 4}\n" + train),
            "no error");
  EXPECT_EQ(error_of("launcher: slurm\nresources: {tasks_per_node: 4}\nslurm: {gres: 'gpu:a40:4'}\n" + train),
            "no error");
}

TEST_F(SpecChecks, ATypeOfGpuIsOneWordAndNeedsGpus) {
  const auto with = [&](const std::string& resources) {
    return error_of("resources: {" + resources + "}\ncommand: [prog]\n");
  };
  EXPECT_EQ(with("gpus_per_node: 2, gpu_type: a100_1g.5gb"), "no error");
  EXPECT_EQ(with("gpu_type: a100"), "1 gpu_type is 'a100', but gpus_per_node is 0");
  EXPECT_EQ(with("gpus_per_node: 2, gpu_type: 'a100:2,tpu'"), "1 'a100:2,tpu' is not a valid GPU type");
}

TEST_F(SpecChecks, TheTrainersConfigurationIsCheckedForTheWholeWorld) {
  const std::string train =
      "train: {epochs: 1, model: {name: mlp}, data: {name: fashion_mnist, global_batch_size: 64}, optimizer: "
      "{name: adam}}\n";
  const RunSpec spec = good("launcher: slurm\nresources: {nodes: 2, tasks_per_node: 4}\n" + train);
  EXPECT_EQ(spec.train->data.batch_size, 8);
  EXPECT_EQ(error_of("launcher: slurm\nresources: {nodes: 3}\n" + train),
            "3 global_batch_size 64 is not a multiple of the 3 batches of a step");
}

TEST_F(SpecChecks, ControlCharactersAreRefusedInEveryValue) {
  EXPECT_EQ(diagnose(kCommand + "run_root: \"a\\tb\"\n"),
            "error: a control character in a value\n"
            "  --> run.yaml:2:11\n"
            "   |\n"
            " 2 | run_root: \"a\\tb\"\n"
            "   |           ^^^^^^ help: remove it\n");
  EXPECT_EQ(error_of("name: \"a\\nb\"\n" + kCommand), "1 a value with a line break");
  EXPECT_EQ(error_of("slurm: {partition: \"a\\n#SBATCH -p b\"}\n" + kCommand), "1 a value with a line break");
  EXPECT_EQ(error_of(kCommand, {"slurm.partition=a\n#SBATCH -p b"}), "0 control character U+000A");
}

TEST_F(SpecChecks, SlurmTakesNoRunRootWithABackslash) {
  const std::string root = "launcher: slurm\nrun_root: 'a\\b'\n" + kCommand;
  EXPECT_EQ(
      diagnose(root),
      "error: run_root is '" + (root_ / "project/a\\b").string() +
          "', but Slurm does not replace the job id (%j) in a log path with a '\\'\n  --> run.yaml:2:1\n   "
          "|\n 2 | run_root: 'a\\b'\n   | ^^^^^^^^ help: set run_root to a path without '\\'\n");
  EXPECT_EQ(good(root, {"launcher=local"}).run_root, (root_ / "project/a\\b").string());
}

TEST_F(SpecChecks, FoldersHaveNamesOfOneLine) {
  write("project/a\nb/run.yaml", "run_root: runs\n" + kCommand);
  const auto spec = load_run_spec({.file = "a\nb/run.yaml",
                                   .arguments = {},
                                   .environment = EnvMap(),
                                   .current_folder = root_ / "project",
                                   .installed_folder = {}});
  ASSERT_FALSE(spec);
  EXPECT_NE(spec.error().front().message.find("has a line break"), std::string::npos);
  EXPECT_EQ(spec.error().front().where->line, 1);
  EXPECT_EQ(spec.error().front().where->column, 11);
}

TEST_F(SpecChecks, TheCurrentFolderHasANameOfOneLine) {
  write("project/run.yaml", kCommand);
  std::filesystem::create_directories(root_ / "a\nb");
  const auto spec = load_run_spec({.file = root_ / "project/run.yaml",
                                   .arguments = {"run_root=/tmp"},
                                   .environment = EnvMap(),
                                   .current_folder = root_ / "a\nb",
                                   .installed_folder = {}});
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().front().code, ExitCode::config_invalid);
  EXPECT_NE(spec.error().front().message.find("the current folder has a line break"), std::string::npos);
}

}  // namespace
}  // namespace ddp::cli
