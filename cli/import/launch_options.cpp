#include "cli/import/launch_options.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "cli/torchrun/torchrun_options.hpp"

namespace ddp::cli {
namespace {

using L = LaunchMeaning;

constexpr std::string_view kRoleVariable = "ROLE_NAME";

/// Of earlier versions of torch.
constexpr std::array kEarlierTorchrun = {
    LaunchOption{"--use-env", false, L::use_env},
    LaunchOption{"--logdir"},
};

constexpr std::array kAccelerate = {
    LaunchOption{"--num-machines", true, L::nodes},
    LaunchOption{"--num-processes", true, L::all_ranks},
    LaunchOption{"--max-restarts", true, L::max_restarts},
    LaunchOption{"--module", false, L::module, {}, "-m"},
    LaunchOption{"--no-python", false, L::no_python},
    LaunchOption{"--mixed-precision", true, L::variable, "ACCELERATE_MIXED_PRECISION"},
    LaunchOption{"--dynamo-backend", true, L::variable, "ACCELERATE_DYNAMO_BACKEND"},
    LaunchOption{"--gradient-accumulation-steps", true, L::variable,
                 "ACCELERATE_GRADIENT_ACCUMULATION_STEPS"},
    LaunchOption{"--num-cpu-threads-per-process", true, L::variable, "OMP_NUM_THREADS"},
    LaunchOption{"--cpu", false, L::flag_variable, "ACCELERATE_USE_CPU"},
    LaunchOption{"--role", true, L::variable, kRoleVariable},
    LaunchOption{"--multi-gpu", false},
    LaunchOption{"--machine-rank"},
    LaunchOption{"--main-process-ip"},
    LaunchOption{"--main-process-port"},
    LaunchOption{"--rdzv-backend"},
    LaunchOption{"--rdzv-conf"},
    LaunchOption{"--same-network", false},
    LaunchOption{"--log-dir"},
    LaunchOption{"--tee"},
    LaunchOption{"--monitor-interval"},
    LaunchOption{"--config-file", true, L::refused,
                 "write what the file says as options of accelerate launch, and import again"},
};

LaunchMeaning meaning_of(const TorchrunOption& row) {
  switch (row.meaning) {
    case TorchrunMeaning::nodes:
      return L::nodes;
    case TorchrunMeaning::ranks_per_node:
      return L::ranks_per_node;
    case TorchrunMeaning::one_node:
      return L::one_node;
    case TorchrunMeaning::max_restarts:
      return L::max_restarts;
    case TorchrunMeaning::module:
      return L::module;
    case TorchrunMeaning::no_python:
      return L::no_python;
    case TorchrunMeaning::run_path:
      return L::run_path;
    case TorchrunMeaning::role:
      return L::variable;
    case TorchrunMeaning::shown_ranks:
    case TorchrunMeaning::node_rank:
    case TorchrunMeaning::run_id:
      return L::not_needed;
    case TorchrunMeaning::no_effect:
      return row.setting.empty() ? L::not_needed : L::no_effect;
    case TorchrunMeaning::refused:
      return L::refused;
  }
  return L::refused;
}

std::string_view text_of(const TorchrunOption& row) {
  if (row.meaning == TorchrunMeaning::role) return kRoleVariable;
  return row.meaning == TorchrunMeaning::refused ? row.advice : row.setting;
}

LaunchOption launch_option_of(const TorchrunOption& row) {
  return {.name = row.name,
          .takes_value = !row.value.empty(),
          .meaning = meaning_of(row),
          .text = text_of(row),
          .letter = row.short_name,
          .problem = row.why};
}

std::optional<LaunchOption> find_in(std::span<const LaunchOption> rows, std::string_view name) {
  const auto dashed = with_dashes(name);
  const auto found = std::ranges::find_if(rows, [&](const LaunchOption& row) {
    return row.name == dashed || (!row.letter.empty() && row.letter == name);
  });
  return found == rows.end() ? std::nullopt : std::optional(*found);
}

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

std::optional<LaunchOption> find_launch_option(RankStarter starter, std::string_view name) {
  if (starter == RankStarter::none) return std::nullopt;
  if (starter == RankStarter::accelerate) return find_in(kAccelerate, name);
  const auto* row = find_torchrun_option(name);
  return row == nullptr ? find_in(kEarlierTorchrun, name) : std::optional(launch_option_of(*row));
}

const ForeignStarter* find_foreign_starter(std::string_view program) {
  const auto* found = std::ranges::find(kForeignStarters, program, &ForeignStarter::program);
  return found == kForeignStarters.end() ? nullptr : found;
}

bool is_wrapper(std::string_view program) {
  return std::ranges::find(kWrappers, program) != kWrappers.end();
}

}  // namespace ddp::cli
