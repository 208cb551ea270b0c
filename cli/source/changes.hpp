#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/source/work_tree.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// How far git may go to find them.
struct ChangeLimits {
  std::chrono::milliseconds time{2'000};  ///< for all questions together
  std::size_t bytes = 1u << 20;           ///< of the diff, and of the list of files
};

/// What is not committed in a working tree.
struct SourceChanges {
  bool known = false;              ///< whether git has said which files are changed
  std::vector<std::string> files;  ///< as `git status --porcelain`: two letters, a blank, the path
  /// Of the tracked files against the commit, for `git apply`; it may hold secrets.
  std::string diff;
  std::vector<std::string> remarks;  ///< what is missing, and why
};

/// Asks git, which starts no external diff, text conversion, hook or monitor. It does start the clean filters
/// of the configuration: without them, files of git-lfs would seem to be changed. What is changed within
/// submodules is not told. `user` is the environment of ddpsubmit.
[[nodiscard]] SourceChanges find_changes(const WorkTree& tree, const EnvMap& user, CommandRunner& runner,
                                         const ChangeLimits& limits = {});

}  // namespace ddp::cli
