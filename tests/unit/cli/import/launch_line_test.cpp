#include "cli/import/launch_line.hpp"

#include <gmock/gmock.h>

#include "cli/import/rank_command.hpp"
#include "cli/import/symbolic_text.hpp"
#include "cli/torchrun/torchrun_options.hpp"

namespace ddp::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

LaunchLine read_words(const std::vector<std::string>& words, Errors& errors) {
  std::vector<PlacedWord> placed;
  for (const auto& word : words) placed.push_back({word});
  return read_launch_line(std::move(placed), errors);
}

std::string command_of_line(const std::vector<std::string>& words) {
  Errors errors;
  const auto line = read_words(words, errors);
  std::string text;
  for (const auto& word : line.command) text += (text.empty() ? "" : " ") + word.text;
  for (const auto& error : errors) text += " error: " + error.message;
  return text;
}

TEST(LaunchLineTest, LeavesOtherProgramsAsTheyAre) {
  EXPECT_EQ(command_of_line({"python", "train.py", "torchrun"}), "python train.py torchrun");
  EXPECT_EQ(command_of_line({"apptainer", "exec", "a.sif", "python", "x.py"}),
            "apptainer exec a.sif python x.py");
}

TEST(LaunchLineTest, StartsPythonAsTorchrunDoes) {
  EXPECT_EQ(command_of_line({"torchrun", "--nproc_per_node", "4", "--nnodes=2", "train.py", "--nnodes", "9"}),
            "python3 -u train.py --nnodes 9");
  EXPECT_EQ(command_of_line({"/env/bin/torchrun", "--standalone", "-m", "pkg.train"}),
            "/env/bin/python3 -u -m pkg.train");
  EXPECT_EQ(command_of_line({"torchrun", "--no-python", "./train"}), "./train");
  EXPECT_EQ(command_of_line({"apptainer", "exec", "a.sif", "torchrun", "x.py"}),
            "apptainer exec a.sif python3 -u x.py");
}

TEST(LaunchLineTest, ProgramsThatTorchrunStartedSeeThatStill) {
  Errors errors;
  for (const auto& words : {std::vector<std::string>{"torchrun", "--rdzv-id", "7", "x.py"},
                            {"accelerate", "launch", "--num_processes", "2", "x.py"}})
    EXPECT_THAT(read_words(words, errors).variables, ElementsAre(Pair("TORCHELASTIC_RUN_ID", "none")));
  EXPECT_THAT(read_words({"python", "x.py"}, errors).variables, ElementsAre());
}

TEST(LaunchLineTest, TakesTheModulesOfTorch) {
  EXPECT_EQ(command_of_line({"python3.11", "-u", "-m", "torch.distributed.run", "x.py"}),
            "python3.11 -u x.py");
  Errors errors;
  const auto line = read_words({"python", "-m", "torch.distributed.launch", "x.py", "--lr", "1"}, errors);
  ASSERT_EQ(line.command.size(), 6U);
  EXPECT_TRUE(line.command[3].text.starts_with("--local-rank="));
  EXPECT_TRUE(has_symbol(line.command[3].text, SymbolKind::variable));
  EXPECT_EQ(command_of_line({"python", "-m", "torch.distributed.launch", "--use_env", "x.py"}),
            "python -u x.py");
}

TEST(LaunchLineTest, TakesAllOptionsOfTorchrunOrSaysWhy) {
  for (const auto& row : torchrun_options()) {
    std::vector<std::string> words{"torchrun", std::string(row.name)};
    if (!row.value.empty()) words.emplace_back("1");
    words.emplace_back("x.py");
    const auto command = command_of_line(words);
    if (row.meaning == TorchrunMeaning::refused) {
      EXPECT_EQ(command, "python3 -u x.py error: " + std::string(row.why));
    } else {
      EXPECT_THAT(command, AllOf(EndsWith("x.py"), Not(HasSubstr("error")))) << row.name;
    }
  }
}

TEST(LaunchLineTest, TakesTheFormsOfTorchrun) {
  EXPECT_EQ(command_of_line({"torchrun", "-t3", "-r", "3", "--nnode=1", "--", "x.py", "--", "--", "--y"}),
            "python3 -u x.py -- --y");
  EXPECT_EQ(command_of_line({"torchrun", "-m", "--no-python", "--run-path", "x.py"}), "python3 -u x.py");
  EXPECT_EQ(command_of_line({"torchrun", "-m", "--no-python", "x.py"}),
            "x.py error: --no-python and --module cannot be used together");
}

TEST(LaunchLineTest, KeepsTheRoleAndSaysWhatHasNoEffect) {
  Errors errors;
  const auto line =
      read_words({"torchrun", "--role=a", "--numa_binding", "node", "--log-dir=logs", "-t3", "x.py"}, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_THAT(line.variables, ElementsAre(Pair("TORCHELASTIC_RUN_ID", "none"), Pair("ROLE_NAME", "a")));
  EXPECT_THAT(line.not_needed, ElementsAre("--log-dir", "-t"));
  EXPECT_THAT(line.no_effect,
              ElementsAre(Pair("--numa_binding",
                               "ranks are not bound to CPUs; on Slurm use slurm.srun_options={cpu-bind: "
                               "ldoms}")));
}

TEST(LaunchLineTest, TakesAccelerate) {
  Errors errors;
  const auto line = read_words({"accelerate", "launch", "--num_processes", "8", "--num_machines=2",
                                "--mixed_precision", "bf16", "--multi_gpu", "x.py"},
                               errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(line.all_ranks->text, "8");
  EXPECT_EQ(line.nodes->text, "2");
  EXPECT_THAT(line.variables,
              ElementsAre(Pair("TORCHELASTIC_RUN_ID", "none"), Pair("ACCELERATE_MIXED_PRECISION", "bf16")));
}

TEST(LaunchLineTest, RefusesWhatItDoesNotReplace) {
  EXPECT_EQ(command_of_line({"mpirun", "-n", "4", "x"}), " error: 'mpirun' starts ranks by itself");
  EXPECT_EQ(command_of_line({"bash", "-c", "torchrun x.py"}),
            " error: a shell starts torchrun, or a program like it, in each task");
  EXPECT_EQ(command_of_line({"nsys", "profile", "torchrun", "x.py"}),
            "nsys profile python3 -u x.py error: 'nsys' starts torchrun, which ddpsubmit replaces");
  EXPECT_EQ(command_of_line({"accelerate", "launch", "--use_fsdp", "x.py"}),
            "python3 -u x.py error: '--use_fsdp' has no key in a configuration");
  EXPECT_EQ(command_of_line({"torchrun", "--nnodes=2"}), " error: no script follows the options");
}

TEST(RankCommandTest, IsAListWhereAllIsKnown) {
  Errors errors;
  const auto swept = write_symbol({SymbolKind::swept, "lr"});
  EXPECT_THAT(render_rank_command({{}, {}, {{"python"}, {"--lr=" + swept}}}, errors).words,
              ElementsAre("python", "--lr={args.lr}"));
  EXPECT_THAT(render_rank_command({{{"/data"}}, {{"A", "1"}}, {{"python"}}}, errors).words,
              ElementsAre("bash", "-c", "cd /data && exec \"$@\"", "bash", "env", "A=1", "python"));
}

TEST(RankCommandTest, LetsAShellExpandTheOthers) {
  Errors errors;
  const auto home = write_symbol({SymbolKind::variable, "HOME"});
  const auto flags = write_symbol({SymbolKind::variable, "FLAGS", Splitting::splits});
  const auto swept = write_symbol({SymbolKind::swept, "lr"});
  const auto rendered =
      render_rank_command({{}, {}, {{"python"}, {home + "/a b"}, {flags}, {swept}, {""}}}, errors);
  EXPECT_THAT(rendered.words, ElementsAre("bash", "-c", "exec python \"$HOME\"'/a b' ${FLAGS} \"${1}\" ''",
                                          "bash", "{args.lr}"));
  EXPECT_THAT(rendered.variables, ElementsAre("FLAGS", "HOME"));
  EXPECT_TRUE(errors.empty());
}

TEST(RankCommandTest, RefusesWhatOnlyTheScriptKnows) {
  Errors errors;
  for (const auto kind : {SymbolKind::address, SymbolKind::of_task, SymbolKind::unknown})
    (void)render_rank_command({{}, {}, {{write_symbol({kind, "x"})}}}, errors);
  EXPECT_EQ(errors.size(), 3U);
}

TEST(LaunchLine, FindsAModuleBehindOptionsOfPython) {
  EXPECT_TRUE(starts_ranks({"python", "-W", "ignore", "-m", "torch.distributed.run", "x.py"}));
  EXPECT_FALSE(starts_ranks({"python", "-W", "-m"}));
}

}  // namespace
}  // namespace ddp::cli
