#include "cli/spec/first_file.hpp"

#include <fmt/format.h>

#include "cli/spec/field_writer.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kHead = R"(# yaml-language-server: $schema={schema}
# The line above gives your editor completion and checks for this file.
#
#   ddpsubmit validate {name}   # checks this file
#   ddpsubmit run {name}        # starts the run

launcher: {launcher:<16}# where the run starts: {launchers}

)";

constexpr std::string_view kAnyResources = R"(resources:
  nodes: 1                # number of nodes
  tasks_per_node: 2       # number of ranks on each node
)";

constexpr std::string_view kCommand = R"(
# Each rank runs this command. RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT are set, as under torchrun.
command: {command}

# fault_tolerance:
#   max_restarts: 3       # restarts after failures; use it if your program resumes from a checkpoint
)";

constexpr std::string_view kTrain = R"(
# The trainer of ddpsubmit with synthetic data: it needs no files and ends after a few seconds.
train:
  max_steps: 200          # or epochs: 2
  model:
    name: mlp
    input_dim: 64         # the same as data.features
    hidden_dims: [32]
    num_classes: 4
  data:
    name: synthetic
    samples: 4096
    features: 64
    num_classes: 4
    batch_size: 32        # samples in a batch of each rank
  optimizer:
    name: adam
    learning_rate: 0.001
)";

/// "local, slurm or ssh".
std::string name_all_launchers() {
  std::vector<std::string> names;
  for (const auto* launcher : all_launchers()) names.emplace_back(launcher->name);
  return join_words(names, " or ");
}

}  // namespace

std::string render_first_file(const FirstFile& file) {
  using namespace fmt::literals;
  const auto& own_lines = file.launcher->first_lines;
  std::string text = fmt::format(kHead, "schema"_a = file.schema, "name"_a = file.name,
                                 "launcher"_a = file.launcher->name, "launchers"_a = name_all_launchers());
  text += own_lines.empty() ? kAnyResources : own_lines;
  text += file.command.empty() ? std::string(kTrain)
                               : fmt::format(kCommand, "command"_a = render_texts(file.command));
  return text;
}

}  // namespace ddp::cli
