#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// How the setting is written that an option such as "--epochs" is meant to be: "settings are written as
/// KEY=VALUE: train.epochs=10". `words`: the line that has the option, for its value. Empty: no key has the
/// name.
[[nodiscard]] std::string advise_on_setting(const std::string& option, const std::vector<std::string>& words);

}  // namespace ddp::cli
