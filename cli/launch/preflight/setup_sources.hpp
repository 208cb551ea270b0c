#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// Whether lines of set-up may make files, programs or folders, or change the folder: all but those known not
/// to, such as `module load …`, `source …` and `export …`. Pure.
[[nodiscard]] bool may_make_files(const std::vector<std::string>& setup);

/// The files that lines of set-up source: "venv/bin/activate" of `source venv/bin/activate`, with `~` and
/// $HOME replaced. Only those whose names hold nothing else for the shell to replace, and up to the first
/// line that may make them. Pure.
[[nodiscard]] std::vector<std::string> files_sourced_by(const std::vector<std::string>& setup,
                                                        const EnvMap& environment);

}  // namespace ddp::cli
