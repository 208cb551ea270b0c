#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Who sees a file system: every host that mounts it, only this one, or that cannot be told from here.
enum class Sharing { shared, this_host, unknown };

/// What is known of a folder that may not be there yet.
struct FolderProbe {
  std::filesystem::path existing;      ///< the folder itself, or the nearest one over it
  std::string problem;                 ///< why nothing can be made there; empty: it can
  std::optional<Error> exposure = {};  ///< every user could put something else in its place
  std::string note = {};               ///< some users could; empty: none could
  std::string file_system;             ///< nfs, ext4, …; empty: not known
  Sharing sharing = Sharing::unknown;
};

/// Makes and removes a file where `folder` is, or would be made. `folder` is absolute.
[[nodiscard]] FolderProbe probe_folder(const std::filesystem::path& folder);

/// `path`, or the nearest folder over it that exists.
[[nodiscard]] std::filesystem::path existing_part(std::filesystem::path path);

}  // namespace ddp::cli
