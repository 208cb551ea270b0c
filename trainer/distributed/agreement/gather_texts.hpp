#pragma once

#include <string>
#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The texts of all ranks, by rank; any of them may be empty. A collective.
[[nodiscard]] std::vector<std::string> gather_texts(const std::string& text, ProcessGroup& group);

}  // namespace ddp::trainer
