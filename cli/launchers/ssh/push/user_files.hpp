#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// A file that ssh.push names, or that is in a folder that it names.
struct FoundFile {
  std::string name;  ///< below the current folder, and below the folder in which the ranks start
  std::uint64_t size = 0;
  int mode = 0;  ///< who may read, write and execute it
};

/// All of them, by name, each once: what links lead to, as long as that is in `folder`, the current one.
/// Leaves out .git, __pycache__ and the folder of the runs. An error stands at the item of ssh.push that
/// leads to it. Opens no file.
[[nodiscard]] tl::expected<std::vector<FoundFile>, Errors> find_user_files(
    const RunSpec& spec, const std::filesystem::path& folder);

}  // namespace ddp::cli
