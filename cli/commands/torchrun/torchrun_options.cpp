#include "cli/commands/torchrun/torchrun_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/commands/start/start_and_follow.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kRendezvous = "ddpsubmit finds the address of rank 0 and a free port itself";
constexpr std::string_view kLogs =
    "the output of each rank is in the run folder, and `ddpsubmit logs` shows it";
constexpr std::string_view kWatch = "ddpsubmit starts and watches the ranks in its own way";
constexpr std::string_view kBinding =
    "ranks are not bound to CPUs; on Slurm use --set 'slurm.srun_options={cpu-bind: ldoms}'";

constexpr TorchrunOption own(Option option) {
  return {.option = option, .of = OptionOf::ddpsubmit};
}

constexpr TorchrunOption taken(std::string_view name, std::string_view value, std::string_view doc,
                               std::string_view short_name = {}) {
  return {.option = {.name = name, .value = value, .doc = doc, .short_name = short_name}};
}

constexpr TorchrunOption idle(std::string_view name, std::string_view value, std::string_view why,
                              std::string_view short_name = {}) {
  return {
      .option = {.name = name, .value = value, .doc = "accepted without effect", .short_name = short_name},
      .without_effect = why};
}

constexpr std::array kTorchrunOptions = {
    own({torchrun::kLauncher, "NAME", "where to start: local (the default), slurm or ssh",
         WordKind::launcher}),
    own({torchrun::kSet, "KEY=VALUE", "set a key of the configuration; may be given several times",
         WordKind::assignment}),
    own({torchrun::kName, "NAME", "name of the run (default: the name of the script)"}),
    own({torchrun::kDryRun, "", "print the YAML that the line stands for, and start nothing"}),
    own(kFollowOption),
    own(kDetachOption),
    own(kNoPreflightOption),
    own(kAcceptHostKeysOption),
    taken("--nnodes", "N|MIN:MAX",
          "number of nodes (default: 1); over ssh, a run needs at least MIN of them"),
    taken("--nproc-per-node", "N|gpu|cpu|auto",
          "number of ranks per node (default: 1); with slurm and ssh a number, or gpu together with "
          "--set resources.gpus_per_node=N"),
    taken("--standalone", "", "one node"),
    taken("--max-restarts", "N", "restarts after failures (default: 0)"),
    taken("--module", "", "the script is a Python module, as for `python -m`", "-m"),
    taken("--no-python", "", "the script is a program of its own"),
    taken("--run-path", "", "run the script with Python even with --no-python or --module"),
    taken("--role", "NAME", "value of ROLE_NAME (default: default)"),
    taken("--local-ranks-filter", "N,...", "print only the output of these local ranks"),
    taken("--node-rank", "0", "accepted without effect; other values are refused: one line starts all nodes"),
    idle("--rdzv-backend", "NAME", kRendezvous),
    idle("--rdzv-endpoint", "HOST:PORT", kRendezvous),
    idle("--rdzv-id", "ID", "TORCHELASTIC_RUN_ID is the run id of ddpsubmit"),
    idle("--rdzv-conf", "CONF", kRendezvous),
    idle("--master-addr", "HOST", kRendezvous),
    idle("--master-port", "PORT", kRendezvous),
    idle("--local-addr", "HOST", "to choose a network, use --set rendezvous.interface=NAME"),
    idle("--log-dir", "FOLDER", kLogs),
    idle("--redirects", "STREAMS", kLogs, "-r"),
    idle("--tee", "STREAMS", kLogs, "-t"),
    idle("--logs-specs", "NAME", kLogs),
    idle("--duplicate-stdout-filters", "WORDS", kLogs),
    idle("--duplicate-stderr-filters", "WORDS", kLogs),
    idle("--monitor-interval", "SECONDS", kWatch),
    idle("--start-method", "METHOD", kWatch),
    idle("--event-log-handler", "NAME", kWatch),
    idle("--signals-to-handle", "SIGNALS", "a stop of the run reaches all ranks"),
    idle("--numa-binding", "MODE", kBinding),
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
