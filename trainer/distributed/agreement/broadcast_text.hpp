#pragma once

#include <string>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The text of rank `root`, which may be empty; that of other ranks is ignored. A collective.
[[nodiscard]] std::string broadcast_text(const std::string& text, int root, ProcessGroup& group);

}  // namespace ddp::trainer
