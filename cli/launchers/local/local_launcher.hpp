#pragma once

#include <memory>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

extern const LauncherRow local_launcher;

[[nodiscard]] std::unique_ptr<Launcher> make_local_launcher(const LauncherSeams& seams);

}  // namespace ddp::cli
