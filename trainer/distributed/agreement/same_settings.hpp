#pragma once

#include <string>
#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Throws std::invalid_argument on all ranks, with the rank and the setting, unless `settings`, lines of
/// "key: value", are the same on all of them: ranks that were told different things would wait for each
/// other. A collective.
void require_same_settings(const std::vector<std::string>& settings, ProcessGroup& group);

}  // namespace ddp::trainer
