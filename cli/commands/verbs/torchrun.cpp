#include <fmt/format.h>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/start_and_follow.hpp"
#include "cli/commands/torchrun/render_config.hpp"
#include "cli/commands/torchrun/torchrun_config.hpp"
#include "cli/store/run_id.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

constexpr Operand kScript{"SCRIPT", "Python script, module or program that each rank runs", Arity::one,
                          WordKind::file};
constexpr Operand kScriptArguments{"ARGUMENT", "argument of the script", Arity::any, WordKind::file};

using Words = std::vector<std::string>;

/// Those of the line that the start of a run asks for.
Arguments start_options_of(const TorchrunLine& line, const RunSpec& spec) {
  Arguments arguments;
  // As under torchrun, whose ranks have its stdin.
  if (spec.launcher->ranks_run == RanksRun::here && !line.has(kDetachOption.name))
    arguments.add(kStdinOption.name, {});
  for (const auto& option : {kFollowOption, kDetachOption, kNoPreflightOption, kAcceptHostKeysOption}) {
    if (line.has(option.name)) arguments.add(option.name, {});
  }
  return arguments;
}

/// Torch scripts ask Slurm for GPUs by other options than those of torchrun.
void note_missing_gpus(const RunSpec& spec, Reporter& reporter) {
  if (!spec.launcher->has_scheduler() || spec.resources.gpus_per_node > 0) return;
  reporter.note(fmt::format("no GPUs are requested; for one per rank: --set resources.gpus_per_node={}",
                            spec.resources.tasks_per_node));
}

Outcome show_config(const TorchrunConfig& config, const Words& words, Context& context) {
  std::string line = "ddpsubmit torchrun";
  for (const auto& word : words) line += " " + quote_on_one_line(word);
  const auto text = "# " + line + "\n" + render_config(config.root, config.settings);
  context.reporter.answer({.schema = "ddpsubmit.torchrun.v1", .value = {{"config", text}}, .text = text});
  return ExitCode::ok;
}

Outcome start_torchrun_line(const Arguments& arguments, Context& context) {
  const auto words = arguments.all(kScript.name);
  const auto line = parse_torchrun_line(words, context.environment);
  if (!line) return tl::unexpected(line.error());
  const auto machine = context.system.host.resources();
  auto config = translate_torchrun(*line, {.environment = context.environment,
                                           .gpus = machine.gpus,
                                           .cpus = machine.cpus,
                                           .current_folder = context.current_folder});
  if (!config) return tl::unexpected(config.error());
  for (const auto& note : config->notes) context.reporter.note(note);
  auto spec = load_config_tree(config->root, context);
  if (!spec) return tl::unexpected(spec.error());
  note_missing_gpus(*spec, context.reporter);
  if (line->has(torchrun::kDryRun)) return show_config(*config, words, context);
  auto folder = choose_folder(*spec, context.system.clock.now());
  const auto options = start_options_of(*line, *spec);
  return start_and_follow({.spec = std::move(*spec),
                           .place = place_of(std::move(folder), context),
                           .folder_kind = FolderKind::fresh,
                           .schema = "ddpsubmit.run.v1",
                           .shown_local_ranks = std::move(config->shown_local_ranks)},
                          options, context);
}

}  // namespace

Command torchrun_command() {
  return {
      .name = "torchrun",
      .summary = "Start a run from a command line of torchrun",
      .operands = {kScript, kScriptArguments},
      .options = line_options(),
      .description =
          "The line is that of torchrun: its options, the script, and the arguments of the script, which are "
          "passed on as they are. Options of ddpsubmit stand before the script, too. Names may be written "
          "with '_' in place of '-', and be shortened, as for torchrun; variables such as PET_NNODES stand "
          "for "
          "options that are not given. Ranks find the variables that torchrun sets. `--dry-run` prints the "
          "configuration that the line stands for.",
      .examples = {{"torchrun --standalone --nproc-per-node=4 train.py --lr 0.1",
                    "four ranks on this machine"},
                   {"torchrun --nproc-per-node=gpu train.py", "one rank for each GPU of this machine"},
                   {"torchrun --launcher slurm --set slurm.partition=gpu --set resources.gpus_per_node=4 "
                    "--nnodes=2 --nproc-per-node=4 train.py",
                    "a Slurm job on two nodes"},
                   {"torchrun --dry-run --nproc-per-node=4 -m package.train",
                    "the YAML file that does the same"}},
      .run = start_torchrun_line,
      .parsing = Parsing::verbatim,
      .count_options = count_torchrun_options};
}

}  // namespace ddp::cli
