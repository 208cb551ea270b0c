#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/launcher_row.hpp"

namespace ddp::cli {

/// What a first configuration file is about.
struct FirstFile {
  std::string name;    ///< of the file, as its comments show it
  std::string schema;  ///< where an editor finds the JSON Schema
  const LauncherRow* launcher;
  std::vector<std::string> command;  ///< empty: a training on synthetic data
};

/// A configuration with comments that runs as it is, once the hosts of an ssh run have their names.
[[nodiscard]] std::string render_first_file(const FirstFile& file);

}  // namespace ddp::cli
