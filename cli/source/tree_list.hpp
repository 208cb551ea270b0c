#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/source/work_tree.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

enum class EntryKind {
  file,
  link,
  folder  ///< an empty one, as of a submodule that is not checked out
};

struct TreeEntry {
  std::filesystem::path name;  ///< below the root
  EntryKind kind = EntryKind::file;
  std::uint64_t bytes = 0;  ///< of a file
  bool tracked = false;     ///< whether git has it, so that the program may need it

  bool operator==(const TreeEntry&) const = default;
};

/// What a copy of a working tree is made of.
struct TreeList {
  std::vector<TreeEntry> entries;  ///< sorted by name, each once
  std::uint64_t bytes = 0;

  /// The entry `name`, or else the first one below it; nullptr: there is none.
  [[nodiscard]] const TreeEntry* find(const std::filesystem::path& name) const;

  bool operator==(const TreeList&) const = default;
};

/// The files of `tree` as they are now, without run folders. No link is followed: what git tracks in a folder
/// that was replaced by a link is not in the list. In a repository: what git tracks,
/// and what it neither tracks nor ignores, also in submodules and repositories within it. Elsewhere: see
/// list_plain_files. `user` is the environment of ddpsubmit.
[[nodiscard]] Expected<TreeList> list_tree(const WorkTree& tree, const EnvMap& user, CommandRunner& runner);

/// Why the files are too many, or larger than `limit` bytes altogether: names what takes the most. Pure.
[[nodiscard]] std::optional<Error> find_too_large(const TreeList& list, const WorkTree& tree,
                                                  std::uint64_t limit);

/// Why files cannot be copied: this process may not read them. Names the first one. Opens none.
[[nodiscard]] std::optional<Error> find_unreadable(const TreeList& list, const WorkTree& tree);

}  // namespace ddp::cli
