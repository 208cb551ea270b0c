#pragma once

#include <string>
#include <vector>

#include "cli/commands/torchrun/render_config.hpp"
#include "cli/commands/torchrun/torchrun_line.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// What a line means depends on these.
struct TorchrunSurroundings {
  EnvMap environment;  ///< OMP_NUM_THREADS, PYTHON_EXEC, CUDA_VISIBLE_DEVICES
  int gpus = 0;        ///< of this machine
  int cpus = 1;        ///< that this process may use: fewer than torchrun counts, if it is bound to some
  std::string current_folder;  ///< absolute; paths of --set start here
};

/// The run that a line stands for.
struct TorchrunConfig {
  ConfigNode root;          ///< as a configuration file would hold it; each value has its option as its place
  SettingSources settings;  ///< which of these are arguments of --set
  std::vector<std::string> notes;      ///< options without effect, one line for each reason
  std::vector<int> shown_local_ranks;  ///< whose output is printed; empty: of all
};

/// Translates a line into the tree of a configuration. All errors at once, with ExitCode::usage. Pure.
[[nodiscard]] tl::expected<TorchrunConfig, Errors> translate_torchrun(
    const TorchrunLine& line, const TorchrunSurroundings& surroundings);

}  // namespace ddp::cli
