#pragma once

#include <string>
#include <vector>

namespace ddp::trainer {

/// One line for the log: that the configuration has changed since a checkpoint was written, and in which of
/// its settings, lines of "key: value" in the order of list_settings(), what a step computes depends on.
/// `before` is empty for a checkpoint that does not tell.
[[nodiscard]] std::string describe_config_change(const std::vector<std::string>& before,
                                                 const std::vector<std::string>& now);

}  // namespace ddp::trainer
