#include "cli/torchrun/torchrun_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ddp::cli {
namespace {

using T = TorchrunMeaning;

constexpr std::string_view kRendezvous = "ddpsubmit finds the address of rank 0 and a free port itself";
constexpr std::string_view kOutputIsInRunFolder =
    "the output of each rank is in the run folder, and `ddpsubmit logs` shows it";
constexpr std::string_view kOwnWatch = "ddpsubmit starts and watches the ranks in its own way";

constexpr TorchrunOption idle_option(std::string_view name, std::string_view value, std::string_view why,
                                     std::string_view short_name = {}) {
  return {
      .name = name, .value = value, .doc = "accepted without effect", .short_name = short_name, .why = why};
}

/// Has no effect, but a setting of ddpsubmit does the same.
constexpr TorchrunOption option_for_setting(std::string_view name, std::string_view value,
                                            std::string_view why, std::string_view setting) {
  auto option = idle_option(name, value, why);
  option.setting = setting;
  return option;
}

constexpr std::array kTorchrunOptions = {
    TorchrunOption{"--nnodes", "N|MIN:MAX",
                   "number of nodes (default: 1); over ssh, a run needs at least MIN of them", T::nodes},
    TorchrunOption{"--nproc-per-node", "N|gpu|cpu|auto",
                   "number of ranks per node (default: 1); with slurm and ssh a number, or gpu together with "
                   "--set resources.gpus_per_node=N",
                   T::ranks_per_node},
    TorchrunOption{"--standalone", "", "one node", T::one_node},
    TorchrunOption{"--max-restarts", "N", "restarts after failures (default: 0)", T::max_restarts},
    TorchrunOption{"--module", "", "the script is a Python module, as for `python -m`", T::module, "-m"},
    TorchrunOption{"--no-python", "", "the script is a program of its own", T::no_python},
    TorchrunOption{"--run-path", "", "run the script with Python even with --no-python or --module",
                   T::run_path},
    TorchrunOption{"--role", "NAME", "value of ROLE_NAME (default: default)", T::role},
    TorchrunOption{"--local-ranks-filter", "N,...", "print only the output of these local ranks",
                   T::shown_ranks},
    TorchrunOption{"--node-rank", "0",
                   "accepted without effect; other values are refused: one line starts all nodes",
                   T::node_rank},
    idle_option("--rdzv-backend", "NAME", kRendezvous),
    idle_option("--rdzv-endpoint", "HOST:PORT", kRendezvous),
    TorchrunOption{"--rdzv-id", "ID",
                   "value of TORCHELASTIC_RUN_ID (default: the run id of ddpsubmit; with slurm: none)",
                   T::run_id},
    idle_option("--rdzv-conf", "CONF", kRendezvous),
    idle_option("--master-addr", "HOST", kRendezvous),
    idle_option("--master-port", "PORT", kRendezvous),
    option_for_setting("--local-addr", "HOST", "to choose a network, use", "rendezvous.interface=NAME"),
    idle_option("--log-dir", "FOLDER", kOutputIsInRunFolder),
    idle_option("--redirects", "STREAMS", kOutputIsInRunFolder, "-r"),
    idle_option("--tee", "STREAMS", kOutputIsInRunFolder, "-t"),
    idle_option("--logs-specs", "NAME", kOutputIsInRunFolder),
    idle_option("--duplicate-stdout-filters", "WORDS", kOutputIsInRunFolder),
    idle_option("--duplicate-stderr-filters", "WORDS", kOutputIsInRunFolder),
    idle_option("--monitor-interval", "SECONDS", kOwnWatch),
    idle_option("--start-method", "METHOD", kOwnWatch),
    idle_option("--event-log-handler", "NAME", kOwnWatch),
    idle_option("--signals-to-handle", "SIGNALS", "a stop of the run reaches all ranks"),
    option_for_setting("--numa-binding", "MODE", "ranks are not bound to CPUs; on Slurm use",
                       "slurm.srun_options={cpu-bind: ldoms}"),
    TorchrunOption{.name = "--virtual-local-rank",
                   .value = "",
                   .doc = "refused",
                   .meaning = T::refused,
                   .why = "--virtual-local-rank is not supported: ranks see all GPUs of their node",
                   .advice = "leave it out, and choose the GPU by LOCAL_RANK in the script"},
};

/// argparse makes no variables for these.
bool has_no_variable(const TorchrunOption& option) {
  return option.name == "--logs-specs" || option.name == "--numa-binding";
}

}  // namespace

std::span<const TorchrunOption> torchrun_options() {
  return kTorchrunOptions;
}

std::string with_dashes(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

const TorchrunOption* find_torchrun_option(std::string_view name) {
  const auto dashed = with_dashes(name);
  const TorchrunOption* shortened = nullptr;
  int meanings = 0;
  for (const auto& row : kTorchrunOptions) {
    if (row.name == dashed || (!row.short_name.empty() && row.short_name == name)) return &row;
    if (dashed.size() < 3 || !row.name.starts_with(dashed)) continue;
    shortened = &row;
    ++meanings;
  }
  return meanings == 1 ? shortened : nullptr;
}

std::string variable_of(const TorchrunOption& option) {
  if (has_no_variable(option)) return {};
  std::string name = "PET_";
  for (const char c : option.name.substr(2))
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace ddp::cli
