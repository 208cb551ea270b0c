#pragma once

#include <memory>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

extern const LauncherRow slurm_launcher;

[[nodiscard]] std::unique_ptr<Launcher> make_slurm_launcher(const LauncherSeams& seams);

}  // namespace ddp::cli
