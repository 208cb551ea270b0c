#include "cli/spec/command_warnings.hpp"

#include <gmock/gmock.h>

#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

using CommandWarnings = SpecFolder;

TEST_F(CommandWarnings, AProgramThatStartsRanksIsLeftOut) {
  const RunSpec spec = good(
      "resources: {tasks_per_node: 4}\ncommand: [torchrun, --nproc-per-node=4, train.py, --lr, \"0.1\"]\n");
  EXPECT_THAT(warn_of_command(spec),
              ElementsAre("run.yaml:2:11: ddpsubmit starts the ranks itself, so each rank would start "
                          "'torchrun' once more; write the program alone: command: [python3, train.py, --lr, "
                          "\"0.1\"]; the number of ranks per node is resources.tasks_per_node; or start "
                          "the line as it is: ddpsubmit torchrun ..."));
  EXPECT_THAT(warn_of_command(good("command: [python3, -u, -m, torch.distributed.run, train.py]\n")),
              ElementsAre(testing::AllOf(StartsWith("run.yaml:1:28: "),
                                         testing::HasSubstr("'python -m torch.distributed.run' once more"),
                                         testing::HasSubstr("command: [python3, train.py];"))));
  const auto ends_with = [](const char* end) {
    return ElementsAre(
        testing::AllOf(testing::HasSubstr("command: [python, -m, pkg];"), testing::EndsWith(end)));
  };
  EXPECT_THAT(warn_of_command(good("command: [/usr/bin/srun, python, -m, pkg]\n")),
              ends_with("resources.tasks_per_node"));
  EXPECT_THAT(warn_of_command(good("command: [mpirun, -n, '4', python, -m, pkg]\n")),
              ends_with("; for an MPI program, set rendezvous.backend: mpi, too"));
}

TEST_F(CommandWarnings, OtherProgramsAreFine) {
  for (const char* command :
       {"[python3, train.py, torchrun]", "[python3, -m, pkg.train]", "[./srun.sh]", "[python3, -m]"})
    EXPECT_THAT(warn_of_command(good(std::string("command: ") + command + "\n")), IsEmpty()) << command;
}

TEST_F(CommandWarnings, AVariableIsNotExpanded) {
  EXPECT_THAT(
      warn_of_command(good("command: [python3, train.py, --lr, $LR, \"--out=${OUT}/a\"]\n")),
      ElementsAre("run.yaml:1:36: '$LR' and '${OUT}' reach the program unchanged, because no shell reads "
                  "the words of 'command'; write the value itself, or start a shell: command: [bash, -c, "
                  "'exec python3 train.py --lr $LR --out=${OUT}/a']"));
  EXPECT_THAT(warn_of_command(good("command: [torchrun, train.py, $LR]\n")),
              testing::Contains(testing::EndsWith("command: [bash, -c, 'exec python3 train.py $LR']")));
  EXPECT_THAT(warn_of_command(good("command: [prog, a b, $LR]\n")),
              ElementsAre(testing::EndsWith("command: [bash, -c, 'exec python3 train.py --lr $LR']")));
}

TEST_F(CommandWarnings, AShellExpandsVariables) {
  for (const char* command :
       {"[bash, -c, 'train --lr $LR']", "[apptainer, exec, a.sif, /bin/sh, -c, 'echo $HOME']",
        "[awk, '{print $1}']", "[prog, $, '${', '$lr', 'a$$']"})
    EXPECT_THAT(warn_of_command(good(std::string("command: ") + command + "\n")), IsEmpty()) << command;
}

}  // namespace
}  // namespace ddp::cli
