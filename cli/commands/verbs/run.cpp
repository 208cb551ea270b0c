#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/show_rendering.hpp"
#include "cli/commands/start/start_and_follow.hpp"

namespace ddp::cli {
namespace {

constexpr Option kDryRun{"--dry-run", "", "only print what would be submitted, like `render`"};

Outcome run(const Arguments& arguments, Context& context) {
  auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  if (arguments.has(kDryRun.name)) return show_rendering(std::move(*spec), context);
  auto folder = choose_folder(*spec, context.system.clock.now());
  return start_and_follow({.spec = std::move(*spec),
                           .place = place_of(std::move(folder), context),
                           .folder_kind = FolderKind::fresh,
                           .schema = "ddpsubmit.run.v1"},
                          arguments, context);
}

}  // namespace

Command run_command() {
  return {
      .name = "run",
      .summary = "Start a run on this machine, on ssh hosts or on Slurm",
      .operands = {kConfigOperand, kOverridesOperand},
      .options = {kFollowOption, kDetachOption, kStdinOption, kNoPreflightOption, kAcceptHostKeysOption,
                  kDryRun},
      .description =
          "The configuration is read and checked first; if it is not valid, nothing is started. With "
          "the launchers `local` and `ssh`, the command stays until the run has ended, and prints "
          "what the ranks print. Ctrl-C then stops the run after a checkpoint; a second Ctrl-C kills "
          "it. Ranks have no stdin, so that a loop around `ddpsubmit run` keeps its own; with `--stdin` "
          "rank 0 reads that of ddpsubmit. With `slurm`, the command submits a job, prints the run id and "
          "returns. `--follow` and "
          "`--detach` choose the other way.",
      .examples = {{"run train.yaml", "on this machine; Ctrl-C stops it after a checkpoint"},
                   {"run train.yaml train.epochs=10 train.optimizer.learning_rate=3e-4", "with other values"},
                   {"run train.yaml launcher=ssh 'ssh.hosts=[node1, node2]' resources.nodes=2",
                    "on two hosts"},
                   {"run train.yaml launcher=slurm resources.nodes=2 --follow",
                    "on two Slurm nodes, with the output of the ranks here"}},
      .run = run};
}

}  // namespace ddp::cli
