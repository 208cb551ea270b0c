#pragma once

#include "cli/commands/start/rehearsal_scene.hpp"

namespace ddp::cli {

/// The rehearsal of a `command:` whose program tells its steps: whole, undisturbed and disturbed; then the
/// files in both output folders are compared.
[[nodiscard]] tl::expected<RehearsalReport, Errors> hold_command_rehearsal(const RehearsalScene& scene);

}  // namespace ddp::cli
