#pragma once

#include <memory>
#include <string_view>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// The launcher of that name. An error names those there are.
[[nodiscard]] Expected<std::unique_ptr<Launcher>> make_launcher(std::string_view name,
                                                                const LauncherSeams& seams);

}  // namespace ddp::cli
