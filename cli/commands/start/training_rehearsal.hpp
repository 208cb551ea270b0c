#pragma once

#include "cli/commands/start/rehearsal_scene.hpp"

namespace ddp::cli {

/// The rehearsal of a rehearsable training: for its pace, undisturbed and disturbed; then the tensors of both
/// last checkpoints are compared.
[[nodiscard]] tl::expected<RehearsalReport, Errors> hold_training_rehearsal(const RehearsalScene& scene);

}  // namespace ddp::cli
