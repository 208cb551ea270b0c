#include "cli/commands/torchrun/torchrun_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/commands/start/start_and_follow.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kRendezvous = "ddpsubmit finds the address of rank 0 and a free port itself";
constexpr std::string_view kOutputIsInRunFolder =
    "the output of each rank is in the run folder, and `ddpsubmit logs` shows it";
constexpr std::string_view kOwnWatch = "ddpsubmit starts and watches the ranks in its own way";
constexpr std::string_view kBinding =
    "ranks are not bound to CPUs; on Slurm use --set 'slurm.srun_options={cpu-bind: ldoms}'";

constexpr TorchrunOption own_option(Option option) {
  return {.option = option, .of = OptionOf::ddpsubmit};
}

constexpr TorchrunOption taken_option(std::string_view name, std::string_view value, std::string_view doc,
                                      std::string_view short_name = {}) {
  return {.option = {.name = name, .value = value, .doc = doc, .short_name = short_name}};
}

constexpr TorchrunOption idle_option(std::string_view name, std::string_view value, std::string_view why,
                                     std::string_view short_name = {}) {
  return {
      .option = {.name = name, .value = value, .doc = "accepted without effect", .short_name = short_name},
      .without_effect = why};
}

constexpr std::array kTorchrunOptions = {
    own_option({torchrun::kLauncher, "NAME", "where to start: local (the default), slurm or ssh",
                WordKind::launcher}),
    own_option({torchrun::kSet, "KEY=VALUE", "set a key of the configuration; may be given several times",
                WordKind::assignment}),
    own_option({torchrun::kName, "NAME", "name of the run (default: the name of the script)"}),
    own_option({torchrun::kDryRun, "", "print the YAML that the line stands for, and start nothing"}),
    own_option(kFollowOption),
    own_option(kDetachOption),
    own_option(kNoPreflightOption),
    own_option(kAcceptHostKeysOption),
    taken_option("--nnodes", "N|MIN:MAX",
                 "number of nodes (default: 1); over ssh, a run needs at least MIN of them"),
    taken_option("--nproc-per-node", "N|gpu|cpu|auto",
                 "number of ranks per node (default: 1); with slurm and ssh a number, or gpu together with "
                 "--set resources.gpus_per_node=N"),
    taken_option("--standalone", "", "one node"),
    taken_option("--max-restarts", "N", "restarts after failures (default: 0)"),
    taken_option("--module", "", "the script is a Python module, as for `python -m`", "-m"),
    taken_option("--no-python", "", "the script is a program of its own"),
    taken_option("--run-path", "", "run the script with Python even with --no-python or --module"),
    taken_option("--role", "NAME", "value of ROLE_NAME (default: default)"),
    taken_option("--local-ranks-filter", "N,...", "print only the output of these local ranks"),
    taken_option("--node-rank", "0",
                 "accepted without effect; other values are refused: one line starts all nodes"),
    idle_option("--rdzv-backend", "NAME", kRendezvous),
    idle_option("--rdzv-endpoint", "HOST:PORT", kRendezvous),
    idle_option("--rdzv-id", "ID", "TORCHELASTIC_RUN_ID is the run id of ddpsubmit"),
    idle_option("--rdzv-conf", "CONF", kRendezvous),
    idle_option("--master-addr", "HOST", kRendezvous),
    idle_option("--master-port", "PORT", kRendezvous),
    idle_option("--local-addr", "HOST", "to choose a network, use --set rendezvous.interface=NAME"),
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
    idle_option("--numa-binding", "MODE", kBinding),
    TorchrunOption{.option = {.name = "--virtual-local-rank", .value = "", .doc = "refused"},
                   .refusal = "--virtual-local-rank is not supported: ranks see all GPUs of their node",
                   .advice = "leave it out, and choose the GPU by LOCAL_RANK in the script"},
};

/// With the dashes that the table has.
std::string with_dashes(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

/// argparse makes no variables for these.
bool has_no_variable(const TorchrunOption& option) {
  return option.of == OptionOf::ddpsubmit || option.option.name == "--logs-specs" ||
         option.option.name == "--numa-binding";
}

}  // namespace

std::span<const TorchrunOption> torchrun_options() {
  return kTorchrunOptions;
}

const TorchrunOption* find_torchrun_option(std::string_view name) {
  const auto dashed = with_dashes(name);
  const TorchrunOption* shortened = nullptr;
  int meanings = 0;
  for (const auto& row : kTorchrunOptions) {
    if (row.option.name == dashed || (!row.option.short_name.empty() && row.option.short_name == name))
      return &row;
    if (row.of == OptionOf::ddpsubmit || dashed.size() < 3 || !row.option.name.starts_with(dashed)) continue;
    shortened = &row;
    ++meanings;
  }
  return meanings == 1 ? shortened : nullptr;
}

std::string variable_of(const TorchrunOption& option) {
  if (has_no_variable(option)) return {};
  std::string name = "PET_";
  for (const char c : option.option.name.substr(2))
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace ddp::cli
