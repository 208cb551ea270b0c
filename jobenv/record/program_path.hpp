#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp {

/// Of an environment that has no PATH.
inline constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// Where the loader looks for libraries first.
inline constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";

/// The files that `argv0` can mean: itself when it holds a slash, else one for each folder of `path`.
[[nodiscard]] std::vector<std::string> find_programs(const std::string& argv0, const std::string& path);

/// Whether this user may start that file.
[[nodiscard]] bool is_executable(const std::string& file);

/// Programs in `folder` can be named, but never hide another of that name.
void append_to_path(EnvMap& environment, const std::string& folder);

/// Folders of libraries around those of LD_LIBRARY_PATH; each one or several, with ':' between them, or none.
struct LibraryFolders {
  std::string first;  ///< before the others
  std::string spare;  ///< behind them

  bool operator==(const LibraryFolders&) const = default;
};

/// The environment in which a program finds the libraries in `folders`.
[[nodiscard]] EnvMap with_libraries(EnvMap environment, const LibraryFolders& folders);

}  // namespace ddp
