#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// What is asked of the folders that lead to a path, so that nobody can put something else in its place.
///
/// A path is followed from the root, each part by the descriptor of the one before (openat, O_NOFOLLOW). What
/// has been looked at can then be renamed or replaced by root and this user alone: so a path without links
/// that has been followed stays what it was.
enum class Way {
  /// The folders belong to root or to this user, and nobody else can write to them, unless they are sticky.
  /// So do links.
  own,
  /// They may be anybody's, and a group may write to them, which is noted. Not every user, unless they are
  /// sticky. For folders that several people have in common, and for installed programs.
  shared,
};

/// A path that has been followed.
struct TrustedPath {
  std::filesystem::path path;  ///< absolute, without links
  std::string note;            ///< somebody else who can change what lies there; empty: there is nobody
};

/// A folder that is this user's own.
struct OwnPath {
  std::filesystem::path path;  ///< absolute, without links
  bool was_open = false;       ///< others could write to it until now, and may have files in it open
};

/// Follows `path` as far as it exists, and judges all of it. ExitCode::preflight_failed names the part that
/// is at fault, and what to do.
[[nodiscard]] Expected<TrustedPath> follow_path(const std::filesystem::path& path, Way way);

/// Makes a folder, with those above it that are missing, of mode 0700. It is a real folder of this user
/// (or a link of his to one) when it returns, and its mode has no bits beyond `most`. Errors: as of
/// follow_path.
[[nodiscard]] Expected<OwnPath> make_own_folder(const std::filesystem::path& path, mode_t most = 0755,
                                                Way way = Way::own);

/// Makes the folder that holds folders of several users, where it is missing.
[[nodiscard]] Expected<TrustedPath> make_shared_folder(const std::filesystem::path& path);

}  // namespace ddp
