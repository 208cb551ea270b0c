#pragma once

#include <string_view>

namespace ddp::cli {

/// How much a name looks like that of a password or a key. `likely`: the value is not shown. `possible`, as
/// of AUTHOR or MONKEY: where only names are shown, this one is not.
enum class SecretSuspicion { none, possible, likely };

/// Of a variable or an argument. Case does not matter, and '-' is '_'. Pure.
[[nodiscard]] SecretSuspicion secret_suspicion_of(std::string_view name);

}  // namespace ddp::cli
