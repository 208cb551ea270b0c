#pragma once

#include <string_view>

namespace ddp {

/// On many clusters the file that BASH_ENV names defines `module`. Behind a list of variables that a job does
/// not get, BASH_ENV among them:
inline constexpr std::string_view kModuleHint =
    " (if 'module' is missing in the job: environment.pass: [BASH_ENV])";

/// Behind "module: command not found".
inline constexpr std::string_view kMissingModuleHint =
    " (environment.pass: [BASH_ENV] brings it, where BASH_ENV defines it)";

/// What bash says of a `module` that is not defined.
inline constexpr std::string_view kModuleNotFound = "module: command not found";

}  // namespace ddp
