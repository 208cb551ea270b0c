#include "cli/import/launch_options.hpp"

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

using L = LaunchMeaning;

constexpr std::string_view kMeeting = "ddpsubmit finds the address of rank 0 and a free port";
constexpr std::string_view kRankLogs = "`ddpsubmit logs` shows the output of each rank";
constexpr std::string_view kOwnWatch = "ddpsubmit starts and watches the ranks itself";

constexpr std::array kTorchrun = {
    LaunchOption{"nnodes", true, L::nodes},
    LaunchOption{"nproc-per-node", true, L::ranks_per_node},
    LaunchOption{"max-restarts", true, L::max_restarts},
    LaunchOption{"module", false, L::module, {}, 'm'},
    LaunchOption{"no-python", false, L::no_python},
    LaunchOption{"use-env", false, L::use_env},
    LaunchOption{"standalone", false, L::one_node},
    LaunchOption{"rdzv-backend", true, L::not_needed, kMeeting},
    LaunchOption{"rdzv-endpoint", true, L::not_needed, kMeeting},
    LaunchOption{"rdzv-id", true, L::not_needed, kMeeting},
    LaunchOption{"rdzv-conf", true, L::not_needed, kMeeting},
    LaunchOption{"master-addr", true, L::not_needed, kMeeting},
    LaunchOption{"master-port", true, L::not_needed, kMeeting},
    LaunchOption{"node-rank", true, L::not_needed, kMeeting},
    LaunchOption{"local-addr", true, L::not_needed, kMeeting},
    LaunchOption{"log-dir", true, L::not_needed, kRankLogs},
    LaunchOption{"logdir", true, L::not_needed, kRankLogs},
    LaunchOption{"redirects", true, L::not_needed, kRankLogs, 'r'},
    LaunchOption{"tee", true, L::not_needed, kRankLogs, 't'},
    LaunchOption{"local-ranks-filter", true, L::not_needed, kRankLogs},
    LaunchOption{"monitor-interval", true, L::not_needed, kOwnWatch},
    LaunchOption{"start-method", true, L::not_needed, kOwnWatch},
    LaunchOption{"event-log-handler", true, L::not_needed, kOwnWatch},
    LaunchOption{"signals-to-handle", true, L::not_needed, "a stop of the run reaches all ranks"},
};

constexpr std::array kAccelerate = {
    LaunchOption{"num-machines", true, L::nodes},
    LaunchOption{"num-processes", true, L::all_ranks},
    LaunchOption{"max-restarts", true, L::max_restarts},
    LaunchOption{"module", false, L::module, {}, 'm'},
    LaunchOption{"no-python", false, L::no_python},
    LaunchOption{"mixed-precision", true, L::variable, "ACCELERATE_MIXED_PRECISION"},
    LaunchOption{"dynamo-backend", true, L::variable, "ACCELERATE_DYNAMO_BACKEND"},
    LaunchOption{"gradient-accumulation-steps", true, L::variable, "ACCELERATE_GRADIENT_ACCUMULATION_STEPS"},
    LaunchOption{"num-cpu-threads-per-process", true, L::variable, "OMP_NUM_THREADS"},
    LaunchOption{"cpu", false, L::flag_variable, "ACCELERATE_USE_CPU"},
    LaunchOption{"multi-gpu", false, L::not_needed, kOwnWatch},
    LaunchOption{"machine-rank", true, L::not_needed, kMeeting},
    LaunchOption{"main-process-ip", true, L::not_needed, kMeeting},
    LaunchOption{"main-process-port", true, L::not_needed, kMeeting},
    LaunchOption{"rdzv-backend", true, L::not_needed, kMeeting},
    LaunchOption{"rdzv-conf", true, L::not_needed, kMeeting},
    LaunchOption{"same-network", false, L::not_needed, kMeeting},
    LaunchOption{"log-dir", true, L::not_needed, kRankLogs},
    LaunchOption{"tee", true, L::not_needed, kRankLogs},
    LaunchOption{"role", true, L::not_needed, kRankLogs},
    LaunchOption{"monitor-interval", true, L::not_needed, kOwnWatch},
    LaunchOption{"config-file", true, L::refused,
                 "write what the file says as options of accelerate launch, and import again"},
};

constexpr std::string_view kMpi =
    "write 'srun PROGRAM' in its place; for a program that calls MPI, add rendezvous.backend: mpi to the "
    "YAML";
constexpr std::string_view kOtherStarter =
    "write srun with the program of each rank in its place: ddpsubmit starts the ranks itself";

constexpr std::array kForeignStarters = {
    ForeignStarter{"mpirun", kMpi},
    ForeignStarter{"mpiexec", kMpi},
    ForeignStarter{"mpiexec.hydra", kMpi},
    ForeignStarter{"orterun", kMpi},
    ForeignStarter{"prun", kMpi},
    ForeignStarter{"ibrun", kMpi},
    ForeignStarter{"jsrun", kMpi},
    ForeignStarter{"aprun", kMpi},
    ForeignStarter{"horovodrun", kMpi},
    ForeignStarter{"deepspeed", kOtherStarter},
    ForeignStarter{"pdsh", kOtherStarter},
    ForeignStarter{"parallel", kOtherStarter},
    ForeignStarter{"torchx", kOtherStarter},
};

constexpr std::array<std::string_view, 16> kWrappers = {
    "apptainer", "singularity", "shifter", "sarus",      "podman", "podman-hpc", "enroot", "ch-run",
    "conda",     "mamba",       "uv",      "micromamba", "poetry", "env",        "pixi",   "hatch"};

}  // namespace

std::span<const LaunchOption> launch_options(RankStarter starter) {
  switch (starter) {
    case RankStarter::none:
      return {};
    case RankStarter::torchrun:
    case RankStarter::launch_module:
      return kTorchrun;
    case RankStarter::accelerate:
      return kAccelerate;
  }
  return {};
}

const ForeignStarter* find_foreign_starter(std::string_view program) {
  const auto* found = std::ranges::find(kForeignStarters, program, &ForeignStarter::program);
  return found == kForeignStarters.end() ? nullptr : found;
}

bool is_wrapper(std::string_view program) {
  return std::ranges::find(kWrappers, program) != kWrappers.end();
}

}  // namespace ddp::cli
