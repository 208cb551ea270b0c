#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// ~/.config/ddpsubmit, or that of XDG_CONFIG_HOME; empty when there is no home.
[[nodiscard]] std::filesystem::path user_config_folder(const EnvMap& environment);

/// Where files under `include` are looked for: beside the file that names them, then in these folders.
class IncludePath {
 public:
  /// Either may be empty: not looked in.
  IncludePath(std::filesystem::path user_folder, std::filesystem::path installed_folder);

  /// The first one there is, or an empty path.
  [[nodiscard]] std::filesystem::path find(const std::string& file,
                                           const std::filesystem::path& beside) const;
  /// What to do about a file that is nowhere.
  [[nodiscard]] std::string hint(const std::string& file, const std::filesystem::path& beside) const;
  /// The names under which the files in sub-folders of the two folders can be included, sorted.
  [[nodiscard]] std::vector<std::string> presets() const;

 private:
  [[nodiscard]] std::vector<std::filesystem::path> folders(const std::filesystem::path& beside) const;

  std::vector<std::filesystem::path> folders_;
};

}  // namespace ddp::cli
