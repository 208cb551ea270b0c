#include "cli/launchers/local/local_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr const char* kElsewhere = "ask for less, or run it on a cluster: launcher=slurm";

Error exceeded(const RunSpec& spec, const std::string& key, std::string message, std::string hint) {
  return {ExitCode::preflight_failed, key + " " + std::move(message), std::move(hint),
          spec.origins.mark(key)};
}

std::string count_of(int gpus) {
  return gpus == 0 ? "no NVIDIA GPU" : fmt::format("{} NVIDIA GPU{}", gpus, gpus == 1 ? "" : "s");
}

std::string in_gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

/// Rank R of a node, or replica R of the only rank, computes on device R.
int devices_needed(const RunSpec& spec) {
  return count_copies(*spec.train, spec.resources.tasks_per_node);
}

/// "3 ranks need a GPU each, but this machine has 2 NVIDIA GPUs"
std::string describe_need(const RunSpec& spec, const MachineResources& machine) {
  const int needed = devices_needed(spec);
  return needed == 1 ? "a GPU is needed, but this machine has " + count_of(machine.gpus)
                     : fmt::format("{} {} need a GPU each, but this machine has {}", needed,
                                   has_replicas(*spec.train) ? "replicas" : "ranks", count_of(machine.gpus));
}

/// Whichever key asks for CUDA.
void check_devices(const RunSpec& spec, const MachineResources& machine, Errors& errors) {
  if (devices_needed(spec) <= machine.gpus) return;
  const std::string need = describe_need(spec, machine);
  const auto& train = *spec.train;
  if (train.device == trainer::Device::cuda) {
    errors.push_back(exceeded(spec, "train.device", "is cuda: " + need,
                              has_replicas(*spec.train) ? "set device: cpu, or fewer replicas"
                                                        : "set device: cpu, or fewer tasks_per_node"));
  }
  if (train.device != trainer::Device::automatic) return;
  if (train.precision == trainer::Precision::fp16) {
    errors.push_back(exceeded(spec, "train.precision", "is fp16, which needs CUDA: " + need,
                              "use bf16, or run it on a cluster: launcher=slurm"));
  }
  if (spec.rendezvous.backend == "nccl") {
    errors.push_back(exceeded(spec, "rendezvous.backend", "is nccl, which needs CUDA: " + need,
                              "use auto, or run it on a cluster: launcher=slurm"));
  }
}

void check_gpus(const RunSpec& spec, const MachineResources& machine, Errors& errors) {
  const auto& resources = spec.resources;
  if (resources.gpus_per_node > machine.gpus) {
    errors.push_back(exceeded(
        spec, "resources.gpus_per_node",
        fmt::format("is {}, but this machine has {}", resources.gpus_per_node, count_of(machine.gpus)),
        kElsewhere));
  }
  if (spec.train) check_devices(spec, machine, errors);
}

void check_memory(const RunSpec& spec, const MachineResources& machine, Errors& errors) {
  const auto& asked = spec.resources.memory_bytes;
  if (!asked || *asked <= machine.memory_bytes) return;
  errors.push_back(
      exceeded(spec, "resources.memory",
               fmt::format("is {}, but this machine has {}", in_gib(*asked), in_gib(machine.memory_bytes)),
               kElsewhere));
}

bool names_interface(const RunSpec& spec) {
  return spec.rendezvous.interface != "auto";
}

void check_interface(const RunSpec& spec, const MachineResources& machine, Errors& errors) {
  const auto& name = spec.rendezvous.interface;
  if (!names_interface(spec) || std::ranges::find(machine.interfaces, name) != machine.interfaces.end())
    return;
  errors.push_back(exceeded(spec, "rendezvous.interface",
                            "is '" + name + "': this machine has no such interface that is up",
                            "use auto, " + join_words(machine.interfaces)));
}

}  // namespace

Errors find_exceeded_limits(const RunSpec& spec, const MachineResources& machine) {
  Errors errors;
  check_gpus(spec, machine, errors);
  check_memory(spec, machine, errors);
  check_interface(spec, machine, errors);
  return errors;
}

std::vector<std::string> find_loose_limits(const RunSpec& spec, const MachineResources& machine) {
  std::vector<std::string> loose;
  const auto& resources = spec.resources;
  const auto cpus = std::int64_t{resources.tasks_per_node} * resources.cpus_per_task;
  if (cpus > machine.cpus) {
    loose.push_back(fmt::format("resources ask for {} x {} CPUs: the ranks share the {} CPUs of this machine",
                                resources.tasks_per_node, resources.cpus_per_task, machine.cpus));
  }
  if (resources.memory_bytes && *resources.memory_bytes <= machine.memory_bytes)
    loose.emplace_back("resources.memory is not enforced by launcher local");
  if (names_interface(spec) && spec.rendezvous.interface != "lo")
    loose.emplace_back("rendezvous.interface is not used on one machine: its ranks talk over the loopback");
  return loose;
}

}  // namespace ddp::cli
