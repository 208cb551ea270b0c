#include "cli/commands/torchrun/torchrun_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands/torchrun/render_config.hpp"
#include "cli/torchrun/torchrun_options.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> split_at_blanks(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class TorchrunConfigTest : public testing::Test {
 protected:
  tl::expected<TorchrunConfig, Errors> translate(const std::string& words) const {
    const auto line = parse_torchrun_line(split_at_blanks(words), around.environment);
    if (!line) return tl::unexpected(line.error());
    return translate_torchrun(*line, around);
  }

  std::string yaml(const std::string& words) const {
    const auto config = translate(words);
    return config ? render_config(config->root, config->settings)
                  : "error: " + config.error().front().message + "\n";
  }

  std::vector<std::string> notes(const std::string& words) const {
    const auto config = translate(words);
    return config ? config->notes : std::vector{"error: " + config.error().front().message};
  }

  /// "message | hint" of each.
  std::vector<std::string> errors(const std::string& words) const {
    const auto config = translate(words);
    std::vector<std::string> texts;
    for (const auto& error : config ? Errors{} : config.error()) {
      EXPECT_EQ(error.code, ExitCode::usage);
      texts.push_back(error.message + " | " + error.hint);
    }
    return texts;
  }

  TorchrunSurroundings around{.environment = {}, .gpus = 4, .cpus = 16, .current_folder = "/work"};
};

TEST_F(TorchrunConfigTest, SaysWhatWasWrittenWithSet) {
  EXPECT_THAT(yaml("--set environment.set.ROLE_NAME=x t.py"),
              HasSubstr("# --set environment.set.ROLE_NAME=x\n"));
  around.environment.set("OMP_NUM_THREADS", "4,2.5");
  EXPECT_THAT(yaml("t.py"), HasSubstr("# OMP_NUM_THREADS=4,2.5\n"));
  around.environment.set("PET_ROLE", "name=a.b");
  EXPECT_THAT(yaml("t.py"), HasSubstr("# PET_ROLE=name=a.b\n"));
}

TEST_F(TorchrunConfigTest, TellsARefusedOptionTogetherWithOtherErrors) {
  EXPECT_THAT(errors("--virtual-local-rank --local-ranks-filter=7 t.py"),
              ElementsAre(HasSubstr("--virtual-local-rank is not supported"),
                          HasSubstr("--local-ranks-filter: '7' is not a local rank")));
}

TEST_F(TorchrunConfigTest, ALineOfOneMachine) {
  EXPECT_EQ(yaml("--standalone --nproc-per-node=4 --max-restarts 3 dir/train.py --lr 0.1 --nnodes=2"),
            R"(name: train
launcher: local
resources:
  nodes: 1
  tasks_per_node: 4           # --nproc-per-node=4
fault_tolerance:
  max_restarts: 3             # --max-restarts 3
command: [python3, "-u", dir/train.py, "--lr", "0.1", "--nnodes=2"]
)");
}

TEST_F(TorchrunConfigTest, WithoutOptionsOneRankHasAllCpus) {
  EXPECT_EQ(yaml("train.py"), R"(name: train
launcher: local
resources:
  nodes: 1
  tasks_per_node: 1
  cpus_per_task: 16
command: [python3, "-u", train.py]
)");
}

TEST_F(TorchrunConfigTest, ALineForSlurmWithSettings) {
  EXPECT_EQ(yaml("--launcher slurm --nnodes 2 --nproc_per_node 8 --set resources.gpus_per_node=8 --set "
                 "slurm.partition=gpu --name=big train.py"),
            R"(name: big                     # --name=big
launcher: slurm               # --launcher slurm
resources:
  nodes: 2                    # --nnodes 2
  tasks_per_node: 8           # --nproc_per_node 8
  gpus_per_node: 8            # --set resources.gpus_per_node=8
environment:
  set:
    TORCHELASTIC_RUN_ID: none
slurm:
  partition: gpu              # --set slurm.partition=gpu
command: [python3, "-u", train.py]
)");
}

TEST_F(TorchrunConfigTest, TheIdOfTheRendezvousIsAVariableOfTheRanks) {
  EXPECT_THAT(yaml("--rdzv-id=7 t.py"), HasSubstr("    TORCHELASTIC_RUN_ID: 7    # --rdzv-id=7\n"));
  EXPECT_THAT(yaml("--launcher slurm --rdzv_id job t.py"),
              HasSubstr("TORCHELASTIC_RUN_ID: job  # --rdzv_id job"));
  EXPECT_THAT(yaml("t.py"), Not(HasSubstr("TORCHELASTIC_RUN_ID")));
}

TEST_F(TorchrunConfigTest, ModulesAndOtherPrograms) {
  EXPECT_THAT(yaml("-m package.train x"),
              HasSubstr("command: [python3, \"-u\", \"-m\", package.train, x]\n"));
  EXPECT_THAT(yaml("-m package.train x"), HasSubstr("name: package.train\n"));
  EXPECT_THAT(yaml("--no_python ./train.sh -x"), HasSubstr("command: [\"./train.sh\", \"-x\"]\n"));
  EXPECT_THAT(yaml("--run-path --no-python /a/train.py"), HasSubstr("[python3, \"-u\", /a/train.py]"));
  around.environment.set("PYTHON_EXEC", "/opt/python");
  EXPECT_THAT(yaml("train.py"), HasSubstr("command: [/opt/python, \"-u\", train.py]\n"));
  EXPECT_THAT(errors("--no-python -m x"), ElementsAre(HasSubstr("--no-python and --module cannot be")));
}

TEST_F(TorchrunConfigTest, RanksPerNodeFromThisMachine) {
  EXPECT_THAT(yaml("--nproc-per-node=gpu t.py"),
              HasSubstr("tasks_per_node: 4           # --nproc-per-node=gpu\n"
                        "  gpus_per_node: 4            # --nproc-per-node=gpu\n"));
  EXPECT_THAT(yaml("--nproc-per-node auto t.py"), HasSubstr("tasks_per_node: 4 "));
  EXPECT_THAT(yaml("--nproc-per-node=cpu t.py"), HasSubstr("tasks_per_node: 16 "));
  around.environment.set("CUDA_VISIBLE_DEVICES", "2,3");
  EXPECT_THAT(yaml("--nproc-per-node=gpu t.py"), HasSubstr("tasks_per_node: 2 "));
  around.environment.set("CUDA_VISIBLE_DEVICES", "");
  EXPECT_THAT(yaml("--nproc-per-node=auto t.py"), HasSubstr("tasks_per_node: 16 "));
  EXPECT_THAT(errors("--nproc-per-node=gpu t.py"),
              ElementsAre(HasSubstr("--nproc-per-node=gpu: no GPU is visible on this machine | ")));
}

TEST_F(TorchrunConfigTest, RanksPerNodeOfNodesAreANumberOrThoseOfGpusAskedFor) {
  EXPECT_THAT(yaml("--launcher ssh --nproc-per-node=gpu --set resources.gpus_per_node=2 t.py"),
              HasSubstr("tasks_per_node: 2 "));
  EXPECT_THAT(
      errors("--launcher slurm --nproc-per-node=gpu t.py"),
      ElementsAre("--nproc-per-node=gpu: with launcher 'slurm' it is not known here what the nodes have | "
                  "write the number, or add --set resources.gpus_per_node=N"));
  EXPECT_THAT(errors("--launcher slurm --nproc-per-node=cpu t.py"),
              ElementsAre(HasSubstr("write the number of")));
  for (const std::string bad : {"0", "-1", "x", "xpu", "4.0"})
    EXPECT_THAT(errors("--nproc-per-node " + bad + " t.py"),
                ElementsAre("--nproc-per-node: '" + bad +
                            "' is not a number of ranks | write a number, gpu, "
                            "cpu or auto"));
}

TEST_F(TorchrunConfigTest, RangesOfNodes) {
  EXPECT_THAT(yaml("--launcher ssh --nnodes=1:4 t.py"),
              HasSubstr("nodes: 4                    # --nnodes=1:4\n"));
  EXPECT_THAT(yaml("--launcher ssh --nnodes=1:4 t.py"),
              HasSubstr("min_nodes: 1                # --nnodes=1:4\n"));
  EXPECT_THAT(
      notes("--launcher slurm --nnodes=2:4 t.py"),
      ElementsAre("--nnodes=2:4: with launcher 'slurm' a run always has all its nodes; this one has 4"));
  EXPECT_THAT(
      notes("--nnodes=1:4 t.py"),
      ElementsAre("--nnodes=1:4: with launcher 'local' a run always has all its nodes; this one has 1"));
  EXPECT_THAT(notes("--nnodes 1:1 t.py"), IsEmpty());
  EXPECT_THAT(errors("--nnodes=2 t.py"),
              ElementsAre("--nnodes is 2, but launcher 'local' uses one node: this machine | add --launcher "
                          "slurm or --launcher ssh before the script"));
  EXPECT_THAT(errors("--standalone --nnodes=2 --launcher slurm t.py"),
              ElementsAre(HasSubstr("--standalone is for one node")));
  for (const std::string bad : {"0", "4:1", "1:2:3", "x", "1:", ":"})
    EXPECT_THAT(errors("--nnodes=" + bad + " t.py"), ElementsAre(HasSubstr("' is not a number of nodes | ")));
}

TEST_F(TorchrunConfigTest, ThreadsAreThoseOfTorchrun) {
  EXPECT_THAT(yaml("--nproc-per-node 2 t.py"), testing::Not(HasSubstr("cpus_per_task")));
  EXPECT_THAT(yaml("--launcher slurm t.py"), testing::Not(HasSubstr("cpus_per_task")));
  around.environment.set("OMP_NUM_THREADS", "3");
  EXPECT_THAT(yaml("--nproc-per-node 2 t.py"),
              HasSubstr("cpus_per_task: 3            # OMP_NUM_THREADS=3\n"));
  EXPECT_THAT(yaml("--set resources.cpus_per_task=5 t.py"),
              HasSubstr("cpus_per_task: 5            # --set resources.cpus_per_task=5\n"));
}

TEST_F(TorchrunConfigTest, VariablesStandForOptions) {
  around.environment.set("PET_NPROC_PER_NODE", "3").set("PET_MODULE", "1").set("PET_STANDALONE", "0");
  EXPECT_THAT(yaml("x"), HasSubstr("tasks_per_node: 3           # PET_NPROC_PER_NODE=3\n"));
  EXPECT_THAT(yaml("x"), HasSubstr("[python3, \"-u\", \"-m\", x]"));
  EXPECT_THAT(yaml("--nproc-per-node 2 x"), HasSubstr("tasks_per_node: 2 "));
  around.environment.set("PET_MODULE", "yes");
  EXPECT_THAT(errors("x"), ElementsAre(HasSubstr("the variable PET_MODULE is 'yes', but must be 0 or 1")));
}

TEST_F(TorchrunConfigTest, NamesAsArgparseTakesThem) {
  EXPECT_THAT(yaml("--nproc=2 x"), HasSubstr("tasks_per_node: 2 "));
  EXPECT_THAT(yaml("--max_r 2 x"), HasSubstr("max_restarts: 2 "));
  EXPECT_THAT(yaml("-t3 -r 0:1,1:3 --nnode 1 -- x --y"), HasSubstr("[python3, \"-u\", x, \"--y\"]"));
  EXPECT_THAT(errors("--master=1 x"),
              ElementsAre(HasSubstr("'torchrun' has no option '--master'")));  // of two
  EXPECT_THAT(errors("--laun local x"), ElementsAre(HasSubstr("'torchrun' has no option '--laun'")));
}

TEST_F(TorchrunConfigTest, OptionsWithoutEffectAreTold) {
  EXPECT_THAT(
      notes("--rdzv_backend=c10d --rdzv-endpoint localhost:0 --rdzv-id=7 --tee 3 --log-dir logs "
            "--master_port=29501 --node-rank 0 x"),
      ElementsAre("--node-rank 0 has no effect: ddpsubmit starts the ranks of all nodes",
                  "--rdzv_backend, --rdzv-endpoint and --master_port have no effect: ddpsubmit finds the "
                  "address of rank 0 and a free port itself",
                  "--log-dir and --tee have no effect: the output of each rank is in the run folder, and "
                  "`ddpsubmit logs` shows it"));
}

TEST_F(TorchrunConfigTest, EveryOptionOfTorchrunIsTranslatedToldOrRefused) {
  for (const auto& row : torchrun_options()) {
    const std::string line = std::string(row.name) + (row.value.empty() ? "" : "=1") + " x";
    if (row.meaning == TorchrunMeaning::no_effect) {
      EXPECT_THAT(notes(line), ElementsAre(HasSubstr(" no effect: "))) << line;
    }
    if (row.meaning == TorchrunMeaning::refused) {
      EXPECT_THAT(errors(line), ElementsAre(HasSubstr("is not supported"))) << line;
    }
  }
}

TEST_F(TorchrunConfigTest, TheLineOfAnotherNodeIsRefused) {
  EXPECT_THAT(
      errors("--launcher slurm --nnodes 2 --node_rank=1 x"),
      ElementsAre("--node_rank=1: this line is for another node, but one line starts the ranks of all "
                  "nodes | start the line of node 0 alone, or leave out --node-rank"));
}

TEST_F(TorchrunConfigTest, TheOutputOfSomeLocalRanks) {
  EXPECT_THAT(translate("--nproc-per-node 3 --local-ranks-filter 0,2 x")->shown_local_ranks,
              ElementsAre(0, 2));
  EXPECT_THAT(
      errors("--nproc-per-node 2 --local-ranks-filter=2 x"),
      ElementsAre("--local-ranks-filter: '2' is not a local rank | local ranks are 0 to 1; write them with "
                  "commas between them"));
}

TEST_F(TorchrunConfigTest, TheRoleIsAVariable) {
  EXPECT_THAT(yaml("--role trainer x"),
              HasSubstr("environment:\n  set:\n    ROLE_NAME: trainer        # --role trainer\n"));
}

TEST_F(TorchrunConfigTest, WordsOfTheScriptAreTemplatesOfPython) {
  EXPECT_THAT(yaml("x $$HOME $OTHER"), HasSubstr("\"$HOME\", \"$OTHER\"]"));
  EXPECT_THAT(
      errors("x --gpu=${local_rank} $local_rank"),
      ElementsAre(HasSubstr("'--gpu=${local_rank}': all ranks get the same arguments | read LOCAL_RANK"),
                  HasSubstr("'$local_rank'")));
  EXPECT_THAT(yaml("x $local_ranks"), HasSubstr("\"$local_ranks\"]"));
}

TEST_F(TorchrunConfigTest, WhatSetRefuses) {
  EXPECT_THAT(errors("--set launcher=slurm --set command=[a] --set resources x"),
              ElementsAre("--set cannot set the launcher | use --launcher NAME",
                          HasSubstr("--set cannot set 'command'"), HasSubstr("this is not KEY=VALUE")));
}

TEST_F(TorchrunConfigTest, AllErrorsAtOnce) {
  EXPECT_THAT(errors("--nnods=1 --nproc-per-node --role"),
              ElementsAre("'torchrun' has no option '--nnods' | did you mean '--nnodes'?",
                          HasSubstr("--nproc-per-node needs a value: "),
                          HasSubstr("--role needs a value: NAME"), HasSubstr("the line has no script")));
  EXPECT_THAT(errors("--nnodes=x --nproc-per-node=y --max-restarts=z --node-rank=1 t.py"),
              testing::SizeIs(4));
  EXPECT_THAT(errors("--launcher pbs x"), ElementsAre(HasSubstr("--launcher: 'pbs' is not a launcher")));
  EXPECT_THAT(errors("--standalone=1 x"), ElementsAre(HasSubstr("--standalone takes no value")));
}

TEST_F(TorchrunConfigTest, OptionsEndAtTheScript) {
  EXPECT_THAT(yaml("x -- --a -- --b"), HasSubstr("[python3, \"-u\", x, \"--a\", \"--\", \"--b\"]"));
  const auto count = [](const std::string& words) { return count_torchrun_options(split_at_blanks(words)); };
  EXPECT_EQ(count("--role a --json x --json"), 3U);
  EXPECT_EQ(count("--standalone x --help"), 1U);
  EXPECT_EQ(count("-- x"), 1U);
  EXPECT_EQ(count("--help"), 1U);
}

}  // namespace
}  // namespace ddp::cli
