#include <gmock/gmock.h>

#include "imported.hpp"

namespace ddp::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string yaml_of(const std::string& text) {
  const auto imported = import_text(text);
  return imported ? imported->yaml : errors_of(text);
}

TEST(ImportScript, RefusesAllThatItDoesNotKeepAtOnce) {
  EXPECT_EQ(errors_of("#!/bin/bash\n#SBATCH -M other\nfor i in 1; do a; done\nif b; then c; fi\nf() { d; }\n"
                      "trap f USR1\nsrun python x.py\necho done\nsrun python y.py\n"),
            "2:9 '--clusters=other' is not kept\n3:1 a loop is not kept\n4:1 a condition is not kept\n"
            "5:1 a function is not kept\n6:1 'trap' is not kept\n8:1 nothing runs after the ranks\n"
            "9:1 nothing runs after the ranks\n");
}

TEST(ImportScript, KeepsTheProcessManagerOfSrun) {
  EXPECT_THAT(yaml_of("#SBATCH -N 2 --ntasks-per-node=4\nsrun --mpi=pmix ./solver\n"),
              HasSubstr("  mpi: pmix"));
  for (const auto* version : {"2", "3", "4", "5"})
    EXPECT_THAT(yaml_of(std::string("srun --mpi=pmix_v") + version + " ./solver\n"),
                HasSubstr(std::string("  mpi: pmix                         # line 1: --mpi=pmix_v") +
                          version + "; slurm.mpi names no version of PMIx"));
  EXPECT_THAT(yaml_of("srun --mpi=none ./solver\n"), HasSubstr("  mpi: none"));
  for (const std::string type : {"list", "openmpi", "pmix_v", "pmix_vx", "pmi1"})
    EXPECT_EQ(errors_of("srun --mpi=" + type + " ./solver\n"),
              "1:6 '--mpi=" + type + "' is not a value of slurm.mpi\n");
}

TEST(ImportScript, SaysThatRanksOfMpiAreNotConnected) {
  const auto* const said = "srun without --mpi: the script may rely on the cluster's MpiDefault";
  for (const auto* line : {"module load gcc openmpi/4.1", "ml OpenMPI", "module purge && module load mpich",
                           "spack load mvapich2", "module load intel/2023 impi", "module load intel-mpi",
                           "module load cray-mpich", "module load hpcx", "module load mpi/openmpi-x86_64"})
    EXPECT_THAT(yaml_of(std::string(line) + "\nsrun ./solver\n"), HasSubstr(said)) << line;
  for (const auto* line : {"module load gcc cuda", "module unload openmpi", "ml -openmpi", "echo openmpi"})
    EXPECT_THAT(yaml_of(std::string(line) + "\nsrun ./solver\n"), Not(HasSubstr(said))) << line;
  EXPECT_THAT(yaml_of("module load openmpi\nsrun --mpi=pmix ./solver\n"), Not(HasSubstr(said)));
  EXPECT_THAT(yaml_of("module load openmpi\nsrun torchrun x.py\n"), Not(HasSubstr(said)));
}

TEST(ImportScript, TakesTheProcessManagerOfAVariable) {
  for (const auto* text : {"export SLURM_MPI_TYPE=pmix_v4\nmodule load openmpi\nsrun ./solver\n",
                           "SLURM_MPI_TYPE=pmix_v4 srun ./solver\n"}) {
    const auto yaml = yaml_of(text);
    EXPECT_THAT(yaml, HasSubstr("  mpi: pmix                         # line 1: SLURM_MPI_TYPE=pmix_v4\n"));
    EXPECT_THAT(yaml, Not(HasSubstr("    SLURM_MPI_TYPE")));
    EXPECT_THAT(yaml, Not(HasSubstr("MpiDefault")));
  }
  EXPECT_THAT(yaml_of("export SLURM_MPI_TYPE=pmix\nsrun --mpi=pmi2 ./solver\n"), HasSubstr("  mpi: pmi2"));
  EXPECT_EQ(errors_of("export SLURM_MPI_TYPE=openmpi\nsrun ./solver\n"),
            "1:1 SLURM_MPI_TYPE does not have a value of slurm.mpi\n");
}

TEST(ImportScript, SaysThatAJobWithASignalIsNotRequeued) {
  const std::string signal = "#SBATCH --signal=SIGUSR1@115\n";
  EXPECT_THAT(
      yaml_of(signal + "srun python x.py\n"),
      HasSubstr("# line 1: --signal=SIGUSR1@115; the job is submitted with --no-requeue: if the program "
                "calls scontrol requeue, as PyTorch Lightning does, set fault_tolerance.requeue: true\n"));
  EXPECT_THAT(yaml_of(signal + "#SBATCH --no-requeue\nsrun python x.py\n"), Not(HasSubstr("as PyTorch")));
  EXPECT_THAT(yaml_of(signal + "#SBATCH --requeue\nsrun python x.py\n"), Not(HasSubstr("--no-requeue")));
}

TEST(ImportScript, RefusesRanksBehindAnOperator) {
  EXPECT_EQ(errors_of("srun python x.py | tee log\n"), "1:1 the output of the ranks goes into a pipe\n");
  EXPECT_EQ(errors_of("srun python x.py > log\n"), "1:18 the ranks read or write a file of the shell\n");
  EXPECT_EQ(errors_of("cd x && srun python x.py\n"),
            "1:1 the folder changes in a line of several commands\n");
  EXPECT_EQ(errors_of("true && srun python x.py\n"),
            "1:9 the command that starts the ranks depends on another one\n");
}

TEST(ImportScript, TakesWhatTorchrunTakes) {
  const auto yaml = yaml_of(
      "#SBATCH -N 1\ntorchrun --nproc-per-node=2 --role=trainer --numa-binding=node -- x.py -- --y\n");
  EXPECT_THAT(yaml, HasSubstr("  set:\n    ROLE_NAME: trainer"));
  EXPECT_THAT(yaml, HasSubstr("command: [python3, \"-u\", x.py, \"--y\"]"));
  EXPECT_THAT(yaml, HasSubstr("--numa-binding: ranks are not bound to CPUs; on Slurm use "
                              "slurm.srun_options={cpu-bind: ldoms}\n"));
  EXPECT_EQ(errors_of("torchrun --virtual-local-rank x.py\n"),
            "1:10 --virtual-local-rank is not supported: ranks see all GPUs of their node\n");
}

TEST(ImportScript, NeedsTheNumberOfNodesAndRanks) {
  EXPECT_EQ(errors_of("#SBATCH -n 8\nsrun python x.py\n"),
            "1:9 the script does not say on how many nodes its tasks run\n");
  EXPECT_EQ(errors_of("#SBATCH -N 2-4\nsrun python x.py\n"),
            "1:9 the number of '--nodes=2-4' is not known\n");
  EXPECT_EQ(errors_of("#SBATCH -N 2\npython x.py\n"),
            "2:1 the program is started once, on the first node only\n");
  EXPECT_EQ(errors_of("#SBATCH -N 2 --ntasks-per-node=4\nsrun torchrun --nproc-per-node=4 x.py\n"),
            "2:1 srun starts 4 of these on each node, and each starts ranks\n");
  EXPECT_EQ(errors_of("#SBATCH -N 2\nsrun torchrun --nnodes=3 x.py\n"),
            "2:15 the job has 2 nodes, but 3 are named here\n");
  EXPECT_EQ(errors_of("#SBATCH -N 2\nsrun torchrun --nnodes=1:4 x.py\n"),
            "2:15 the number of nodes varies, or is not known\n");
}

TEST(ImportScript, RefusesWhatTheBatchScriptAloneKnows) {
  EXPECT_EQ(errors_of("srun python x.py --rank $SLURM_PROCID\n"),
            "1:25 the batch script expands '$SLURM_PROCID', so it is the same for all tasks\n");
  EXPECT_EQ(errors_of("srun python x.py $1\n"), "1:18 only the script itself can tell what '$1' is\n");
  EXPECT_EQ(errors_of("head=$(hostname)\nsrun python x.py --host $head\n"),
            "2:25 '$(hostname)' is an address that only the batch script knows\n");
}

TEST(ImportScript, RefusesArgumentsOfTheScriptInSetUpLines) {
  for (const auto* name : {"$1", "${1}", "$@", "$*", "$#", "$0", "${2:-x}", "${X:-$1}", "${@:2}", "${#@}"}) {
    const auto error = std::string("only the script itself can tell what '");
    for (const auto* line : {"DATA=", "conda activate ", "source env.sh x$(dirname \"", "export A="}) {
      const auto quote = std::string(line).ends_with('"') ? "\")" : "";
      const auto said = errors_of(std::string(line) + name + quote + "\nsrun ./hello $DATA\n");
      EXPECT_THAT(said, HasSubstr("1:")) << line << name;
      EXPECT_THAT(said, HasSubstr(error)) << line << name;
    }
  }
  EXPECT_EQ(errors_of("DATA=$1\nsrun ./hello $DATA\n"), "1:1 only the script itself can tell what '$1' is\n");
  EXPECT_EQ(errors_of("A=1 B=$2\ntrue && source $1\nsrun ./hello\n"),
            "1:5 only the script itself can tell what '$2' is\n"
            "2:16 only the script itself can tell what '$1' is\n");
  EXPECT_EQ(errors_of("cat <<E >f\n\"$1\"\nE\nsrun ./hello\n"),
            "1:1 only the script itself can tell what '$1' is\n");
  EXPECT_EQ(errors_of("true\nshift\nset -- a b\n[ -f x ] && shift\nsrun ./hello\n"),
            "2:1 'shift' is not kept\n"
            "3:1 'set -- a b' changes the arguments of the script, which a run does not have\n"
            "4:13 'shift' changes the arguments of the script, which a run does not have\n");
  EXPECT_EQ(errors_of("python x.py $1\n"), "1:13 only the script itself can tell what '$1' is\n");
  EXPECT_EQ(errors_of("cd $1\nsrun ./hello\n"), "1:1 only the script itself can tell what '$1' is\n");
}

TEST(ImportScript, KeepsWhatOnlyLooksLikeAnArgumentOfTheScript) {
  for (const auto* line :
       {"A=$(awk '{print $1}' f)", "A=\"$(awk '{print $1}' f)\"", "awk \"{print \\$1}\" f", "echo '$1'",
        "echo \\$1", "cat <<'E' >f\n$1\nE", "set -euo pipefail", "set +x", "L=(a b)\necho ${#L[@]}",
        "ip addr | awk '/inet/ {print $2}'", "A=$?", "A=`cut -d' ' -f1 f | awk '{print $1}'`"})
    EXPECT_EQ(errors_of(std::string(line) + "\nsrun ./hello\n"), "") << line;
}

TEST(ImportScript, RefusesScriptsWithoutRanks) {
  EXPECT_EQ(errors_of("#!/bin/bash\nmodule load x\n"), "2:1 no line of the script starts the ranks\n");
  EXPECT_EQ(errors_of("#!/bin/csh\nsrun python x.py\n"), "1:1 the script is not one of bash or sh\n");
}

TEST(ImportScript, GivesRanksTheAddressThatTheyHave) {
  const auto yaml = yaml_of("export MASTER_ADDR=$(hostname)\nsrun python x.py tcp://$MASTER_ADDR:1\n");
  EXPECT_THAT(yaml, HasSubstr("exec python x.py tcp://${MASTER_ADDR}:1"));
  EXPECT_THAT(yaml,
              HasSubstr("line 1:      export MASTER_ADDR=$(hostname): ddpsubmit sets it for each rank"));
}

TEST(ImportScript, KeepsExportsInTheirPlaceBeforeOtherLines) {
  const auto yaml = yaml_of("export A=1\nsource env.sh\nexport B=2\nsrun python x.py\n");
  EXPECT_THAT(yaml, HasSubstr("- \"export A=1\""));
  EXPECT_THAT(yaml, HasSubstr("  set:\n    B: \"2\""));
}

TEST(ImportScript, KeepsTheNumbersOfTheScript) {
  const auto yaml = yaml_of(
      "#SBATCH -N 1 -c 8\nexport MKL_NUM_THREADS=$SLURM_CPUS_PER_TASK\nmodule load x\n"
      "srun torchrun --nproc-per-node=4 x.py\n");
  EXPECT_THAT(yaml, HasSubstr("cpus_per_task: 2 "));
  EXPECT_THAT(yaml, HasSubstr("- \"export MKL_NUM_THREADS=8\""));
}

TEST(ImportScript, ExportsWhatTheShellOfARankNeeds) {
  const auto yaml = yaml_of("OUT=$(date +%F)\nsrun python x.py $OUT\n");
  EXPECT_THAT(yaml, HasSubstr("- \"OUT=$(date +%F)\""));
  EXPECT_THAT(yaml, HasSubstr("- \"export OUT\""));
  EXPECT_THAT(yaml, HasSubstr("exec python x.py ${OUT}"));
}

TEST(ImportScript, TakesAnArrayThatCountsFromZeroForItsNumberAlone) {
  const auto yaml = yaml_of("#SBATCH --array=0-2\nsrun python x.py\n");
  EXPECT_THAT(yaml, HasSubstr("sweep: {environment.set.ARRAY_TASK: [\"0\", \"1\", \"2\"]}"));
  EXPECT_EQ(errors_of("#SBATCH --array=1-2\nsrun python x.py\n"),
            "1:9 no argument of the command depends on SLURM_ARRAY_TASK_ID, which counts from 0 here\n");
  EXPECT_EQ(
      errors_of("#SBATCH --array=1-2\necho $SLURM_ARRAY_TASK_ID\nsrun python x.py $SLURM_ARRAY_TASK_ID\n"),
      "2:1 a set-up line depends on SLURM_ARRAY_TASK_ID, which counts from 0 here\n");
}

TEST(ImportScript, NamesTheLineThatReadsTheValuesOfATask) {
  EXPECT_EQ(errors_of("#SBATCH --array=1-2\nPARAMS=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" params.txt)\n"
                      "srun python x.py $PARAMS\n"),
            "2:1 a set-up line depends on SLURM_ARRAY_TASK_ID, which counts from 0 here\n");
}

TEST(ImportScript, SaysThatSbatchIgnoresLateOptions) {
  EXPECT_THAT(
      yaml_of("#SBATCH -N 1\ntrue\n#SBATCH -N 2\nsrun python x.py\n"),
      HasSubstr("line 3:      #SBATCH -N 2: sbatch ignores it, because it stands behind the first command"));
}

TEST(ImportScript, RefusesWhatNoConfigurationCanHold) {
  EXPECT_EQ(errors_of("echo 'a\tb'\nsrun python x.py\n"), "1:1 a set-up line must not have a tab\n");
  EXPECT_EQ(errors_of("a \x01\nsrun python x.py\n"), "1:3 the script has a control character\n");
  EXPECT_EQ(errors_of("srun -w $(hostname) python x.py\n"),
            "1:6 the value of '--nodelist=$(hostname)' is not known\n");
  EXPECT_EQ(errors_of("srun torchrun --max-restarts=$N x.py\n"),
            "1:15 the number of restarts is not known\n");
}

TEST(ImportScript, TellsOnlyOfAQuoteThatDoesNotEnd) {
  EXPECT_EQ(errors_of("srun python x.py 'a\n"), "1:18 a quote or a bracket that begins here does not end\n");
}

TEST(ImportScript, ChangesTheFolderOfEachRank) {
  const auto yaml = yaml_of("cd /data || exit 1\nsource env.sh\ncd sub\nsrun python x.py\n");
  EXPECT_THAT(yaml, HasSubstr("- \"cd /data\""));
  EXPECT_THAT(yaml, HasSubstr("\"cd /data && cd sub && exec \\\"$@\\\"\""));
  EXPECT_THAT(yaml_of("cd $SLURM_SUBMIT_DIR\nsrun python x.py\n"), HasSubstr("command: [python, x.py]"));
}

TEST(ImportScript, DoesNotWriteSecrets) {
  const auto imported = import_text("export HF_TOKEN=abcdef\nsrun python x.py\n");
  ASSERT_TRUE(imported);
  EXPECT_THAT(imported->yaml, Not(HasSubstr("abcdef")));
  EXPECT_THAT(imported->yaml, HasSubstr("secrets: [HF_TOKEN]"));
  EXPECT_EQ(imported->notes.size(), 1U);
}

TEST(ImportScript, LeavesFoldersOfUsersToTheJob) {
  const auto yaml = yaml_of("export HF_HOME=~/hf\nDATA=~/data\nsrun python x.py $DATA\n");
  EXPECT_THAT(yaml, HasSubstr("- \"export HF_HOME=~/hf\""));
  EXPECT_THAT(yaml, HasSubstr("exec python x.py ${DATA}"));
  EXPECT_THAT(yaml, HasSubstr("- \"export DATA\""));
}

TEST(ImportScript, KeepsPatternsAsTheyAre) {
  EXPECT_THAT(yaml_of("srun python x.py d/{a,b}.csv s-{0..3} f[0-9].c ~/'my dir'\n"),
              HasSubstr("exec python x.py d/{a,b}.csv s-{0..3} f[0-9].c ~/'my dir'"));
  EXPECT_THAT(yaml_of("F='*.csv'\nsrun python x.py $F \"$F\"\n"), HasSubstr("exec python x.py ${F} '*.csv'"));
}

TEST(ImportScript, LeavesWhatALineMayChangeToTheJob) {
  for (const auto* line : {"source config.sh", "eval \"N=5\"", "unset N", "printf -v N %d 7",
                           "read -r N M <f", "let N=N+1", "[ -f f ] && . f", ": ${N:=3}"}) {
    const auto yaml = yaml_of(std::string("N=1\n") + line + "\nsrun python x.py \"$N\"\n");
    EXPECT_THAT(yaml, HasSubstr("exec python x.py \\\"$N\\\"")) << line;
    EXPECT_THAT(yaml, HasSubstr("- \"export N\"")) << line;
  }
  EXPECT_EQ(errors_of("L=(1 2)\nL[1]=3\nsrun python x.py ${L[1]}\n"),
            "3:18 only the script itself can tell what '${L[1]}' is\n");
  EXPECT_THAT(yaml_of("N=1\nmodule load x\nsrun python x.py $N\n"),
              HasSubstr("command: [python, x.py, \"1\"]"));
  EXPECT_THAT(yaml_of("export N=1\nmodule load x\nsrun python x.py $N\n"),
              HasSubstr("exec python x.py ${N}"));
}

TEST(ImportScript, TakesOneProgramWithoutSrun) {
  EXPECT_THAT(yaml_of("python x.py\nconda deactivate\n"), HasSubstr("command: [python, x.py]"));
  EXPECT_EQ(errors_of("python x.py --fold 1\npython x.py --fold 2\n"),
            "1:1 without srun, one line alone may be the program of the ranks\n"
            "2:1 without srun, one line alone may be the program of the ranks\n");
  EXPECT_EQ(errors_of("python x.py\necho done\n"), "2:1 nothing runs after the ranks\n");
}

TEST(ImportScript, FindsSrunBehindOtherWords) {
  EXPECT_THAT(yaml_of("/usr/bin/srun python x.py\n"), HasSubstr("command: [python, x.py]"));
  EXPECT_THAT(yaml_of("env A=b srun python x.py\n"), HasSubstr("    A: b"));
  EXPECT_EQ(errors_of("timeout 60 srun python x.py\n"), "1:12 'timeout' starts srun\n");
  EXPECT_EQ(errors_of("bash -c 'srun python x.py'\n"), "1:9 'bash' starts srun\n");
}

TEST(ImportScript, LeavesOutPrintsOfTheCommand) {
  const std::string command = "#SBATCH -N 2\nCMD=\"torchrun --nproc-per-node=2 x.py\"\n";
  for (const auto* print : {"echo $CMD", "echo \"$CMD\"", "echo Running: $CMD", "printf '%s\\n' \"$CMD\"",
                            "echo srun $CMD", "echo $CMD >&2"}) {
    const auto yaml = yaml_of(command + print + "\nsrun $CMD\n");
    EXPECT_THAT(yaml, HasSubstr(std::string("line 3:      ") + print + ": it only prints\n"));
    EXPECT_THAT(yaml, HasSubstr("command: [python3, \"-u\", x.py]"));
    EXPECT_THAT(yaml, Not(HasSubstr("setup:")));
  }
  EXPECT_THAT(yaml_of(command + "echo $CMD | tee log\nsrun $CMD\n"), HasSubstr("- \"echo $CMD | tee log\""));
  EXPECT_THAT(yaml_of("CMD=\"python -u x.py\"\necho $CMD\nsrun $CMD\n"),
              HasSubstr("command: [python, \"-u\", x.py]"));
  EXPECT_THAT(yaml_of("CMD='x.py --lr 1'\necho $CMD\nsrun torchrun $CMD\n"),
              HasSubstr("line 2:      echo $CMD: it only prints\n"));
  EXPECT_THAT(yaml_of("printf -v CMD 'python %s' x.py\nsrun $CMD\n"), HasSubstr("- \"printf -v CMD"));
  EXPECT_EQ(errors_of(command + "echo $CMD\nsrun --jobid $SLURM_JOBID bash -c \"$CMD\"\n"),
            "4:35 a shell starts torchrun, or a program like it, in each task\n");
}

TEST(ImportScript, SaysWhatAPrintIsFor) {
  EXPECT_THAT(yaml_of("echo \"Running on $(hostname)\"\nsrun python x.py\n"),
              HasSubstr("line 1:      echo \"Running on $(hostname)\": it only prints\n"));
  EXPECT_THAT(yaml_of("echo \"$0 $@\"\nsrun python x.py\n"), HasSubstr("echo \"$0 $@\": it only prints\n"));
  EXPECT_THAT(yaml_of("echo $MASTER_PORT\nsrun python x.py\n"),
              HasSubstr("echo $MASTER_PORT: it prints what ddpsubmit sets; `ddpsubmit env` explains it\n"));
}

TEST(ImportScript, KeepsALineWithAHereDocumentWhole) {
  EXPECT_EQ(errors_of("cat <<E > f; srun python x.py\nx\nE\n"),
            "1:14 the command that starts the ranks depends on another one\n");
  const auto yaml = yaml_of("cat <<E > f; echo hi\nx\nE\nsrun python x.py\n");
  EXPECT_NE(yaml.find("echo hi"), std::string::npos);
  EXPECT_EQ(yaml.find("echo hi"), yaml.rfind("echo hi"));
}

TEST(ImportScript, KeepsOptionsOfTheJobBeforeThoseOfSrun) {
  const auto yaml = yaml_of(
      "#SBATCH -N 1 --time=02:00:00 -p a\n#SBATCH -p b --gres=gpu:2 --gpus-per-node=4\n"
      "srun --time=10 python x.py\n");
  EXPECT_THAT(yaml, HasSubstr("time: \"02:00:00\""));
  EXPECT_THAT(yaml, HasSubstr("--time=10: the job keeps its value: line 1: --time=02:00:00"));
  EXPECT_THAT(yaml, HasSubstr("--partition=a: overridden by line 2: --partition=b"));
  EXPECT_THAT(yaml, HasSubstr("--gres=gpu:2: resources.gpus_per_node comes from line 2: --gpus-per-node=4"));
  EXPECT_EQ(errors_of("#SBATCH -N 1 --mem=1G --mem-per-cpu=1G\nsrun python x.py\n"),
            "1:23 the memory is named in two ways\n");
}

TEST(ImportScript, TellsOfAMailTypeOfSrun) {
  EXPECT_THAT(yaml_of("#SBATCH -N 1 --mail-type=END\nsrun --mail-type=ALL python x.py\n"),
              HasSubstr("--mail-type=ALL: the job keeps its value: line 1: --mail-type=END"));
}

TEST(ImportScript, TakesTheHookOfCondaForAnEnvironment) {
  EXPECT_THAT(yaml_of("N=1\neval \"$(conda shell.bash hook)\"\nsrun python x.py $N\n"),
              HasSubstr("command: [python, x.py, \"1\"]"));
}

TEST(ImportScript, RefusesAVariableInARangeOfBraces) {
  EXPECT_THAT(errors_of("N=3\nsrun python x.py {1..$N}\n"),
              HasSubstr("2:18 only the script itself can tell"));
}

TEST(ImportScript, KnowsWhatZeroMeansToSlurm) {
  EXPECT_THAT(yaml_of("#SBATCH -N 1 --mem=0\nsrun python x.py\n"),
              HasSubstr("memory: 0MiB                      # line 1: --mem=0, all memory of each node"));
  EXPECT_THAT(yaml_of("#SBATCH -N 1 --time=0\nsrun python x.py\n"),
              HasSubstr("--time=0: a run has no limit by default"));
}

TEST(ImportScript, LeavesAValueOfATaskThatAFileMayChangeToTheJob) {
  const auto yaml = yaml_of(
      "#SBATCH --array=0-1\nL=(1 2)\nexport A=${L[$SLURM_ARRAY_TASK_ID]}\nsource f\nsrun python x.py $A\n");
  EXPECT_THAT(yaml, HasSubstr("exec python x.py ${A}"));
  EXPECT_THAT(yaml, Not(HasSubstr("env A=")));
}

TEST(ImportScript, KeepsWhatIsPrintedIntoAFile) {
  EXPECT_THAT(yaml_of("export MASTER_ADDR=$(hostname)\necho $MASTER_ADDR > f\nsrun python x.py\n"),
              HasSubstr("- \"echo $MASTER_ADDR > f\""));
}

TEST(ImportScript, GivesNumbersOfTheJob) {
  EXPECT_THAT(yaml_of("#SBATCH -N 2 --ntasks-per-node=4 --gpus=8\n"
                      "srun python x.py $SLURM_TASKS_PER_NODE $SLURM_GPUS\n"),
              HasSubstr("command: [python, x.py, \"4(x2)\", \"8\"]"));
  EXPECT_THAT(yaml_of("#SBATCH --array=1-3\nsrun python x.py $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_MAX\n"),
              HasSubstr("command: [python, x.py, \"{args.task_id}\", \"3\"]"));
  EXPECT_EQ(errors_of("srun python x.py $SLURM_MEM_PER_NODE\n"),
            "1:18 only the script itself can tell what '$SLURM_MEM_PER_NODE' is\n");
}

TEST(ImportScript, AsksForTheNumberOfProcessesOfAccelerate) {
  EXPECT_EQ(errors_of("#SBATCH -N 1 --gres=gpu:4\nsrun accelerate launch x.py\n"),
            "2:1 accelerate chooses the number of processes itself\n");
}

TEST(ImportScript, WritesNoSecretInAnyWay) {
  for (const auto* text :
       {"WANDB_API_KEY=sesame srun python x.py\n", "srun --export=ALL,HF_TOKEN=sesame python x.py\n",
        "#SBATCH --export=ALL,HF_TOKEN=sesame\nsrun python x.py\n",
        "KEY=sesame\nexport WANDB_API_KEY=$KEY\nsrun python x.py\n",
        "HF_TOKEN=sesame\nsrun python x.py --token $HF_TOKEN\n",
        "WANDB_API_KEY=sesame\nwandb login $WANDB_API_KEY\nsrun python x.py\n"}) {
    const auto imported = import_text(text);
    ASSERT_TRUE(imported) << text;
    EXPECT_THAT(imported->yaml, Not(HasSubstr("sesame")));
    EXPECT_THAT(imported->yaml, HasSubstr("secrets: ["));
    EXPECT_EQ(imported->notes.size(), 1U) << text;
  }
  EXPECT_THAT(yaml_of("#SBATCH --export=ALL,HF_TOKEN='open sesame'\nsrun python x.py\n"),
              Not(HasSubstr("sesame")));
  const auto line = import_text("[ -n \"$A\" ] && export HF_TOKEN=sesame\nsrun python x.py\n");
  ASSERT_TRUE(line);
  EXPECT_THAT(line->notes, testing::ElementsAre(HasSubstr("line 1: a word that looks like a secret")));
  const auto words = import_text("wandb login abc\nsrun python x.py --hf-token hf_x\n");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->notes.size(), 2U);
}

TEST(ImportScript, NeedsUtf8) {
  EXPECT_EQ(errors_of("srun python caf\xe9.py\n"), "1:16 the script is not UTF-8 here\n");
  EXPECT_EQ(errors_of("srun python \xe2\x80\xa8x.py\n"), "1:13 the script has a control character\n");
  std::string letters;
  for (int count = 0; count < 60; ++count) letters += "\xc3\xa4";
  EXPECT_THAT(yaml_of("X=a" + letters + "\nsrun python x.py\n"), HasSubstr("\xc3\xa4 …: no other line"));
}

TEST(ImportScript, TellsOfLinesForOtherSystems) {
  EXPECT_EQ(errors_of("#DW jobdw capacity=1GB\nsrun python x.py\n"),
            "1:1 '#DW' asks for a burst buffer, and ddpsubmit has no key for it\n");
  EXPECT_THAT(
      yaml_of("#PBS -l walltime=1\nsrun python x.py\n"),
      HasSubstr("#PBS -l walltime=1: it is an option of PBS; where it counts, write it behind #SBATCH"));
}

}  // namespace
}  // namespace ddp::cli
