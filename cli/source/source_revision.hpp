#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ddp::cli {

/// What git has checked out. Whether files were changed since is not known: that would take git itself.
struct SourceRevision {
  std::string commit;  ///< 40 or 64 hexadecimal digits
  std::string branch;  ///< empty: none is checked out

  bool operator==(const SourceRevision&) const = default;
};

/// Of the work tree that `folder` is in, read from its .git. nullopt: there is no work tree, or it has no
/// commit.
[[nodiscard]] std::optional<SourceRevision> find_source_revision(std::filesystem::path folder);

}  // namespace ddp::cli
