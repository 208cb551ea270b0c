#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Whether a file or folder of this name is left out where no git says what is ignored: caches, and the data
/// of version control. Pure. docs/config.md has the list.
[[nodiscard]] bool is_left_out_by_name(std::string_view name);

/// The files and links below `root`, by their paths from there, without what is left out: by its name, as a
/// run folder, or as a Python environment (it has pyvenv.cfg or conda-meta). Stops after `most`.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> list_plain_files(const std::filesystem::path& root,
                                                                            std::size_t most);

}  // namespace ddp::cli
