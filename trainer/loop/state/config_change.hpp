#pragma once

#include <string>
#include <vector>

namespace ddp::trainer {

/// One line for the log, which names the settings that have changed since a checkpoint was written, as far as
/// what a step computes depends on them. Both lists hold lines of "key: value", as list_settings(); `before`
/// is empty for a checkpoint that does not tell. Empty when nothing has changed.
[[nodiscard]] std::string describe_config_change(const std::vector<std::string>& before,
                                                 const std::vector<std::string>& now);

}  // namespace ddp::trainer
