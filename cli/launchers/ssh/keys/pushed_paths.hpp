#pragma once

#include <optional>
#include <string>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// A path below some folder in its shortest form: "lib/a.py" of "./lib//a.py"; "." is the folder itself.
/// nullopt: it is absolute, empty, or leads out of the folder. Pure.
[[nodiscard]] std::optional<std::string> path_below(const std::string& path);

/// Whether ssh.push names `file`, a path that starts in the current folder, or a folder that it is in. Pure.
[[nodiscard]] bool names_pushed_file(const RunSpec& spec, const std::string& file);

}  // namespace ddp::cli
