#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

struct GitLimits {
  std::chrono::milliseconds time{60'000};
  std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< of what it prints
};

/// Asks git about a working tree, and changes nothing in it: without optional locks, a file system monitor,
/// hooks, a pager and questions. Variables that lead git to another repository do not count.
class Git {
 public:
  /// `user` is the environment of ddpsubmit.
  Git(std::filesystem::path tree, const EnvMap& user, CommandRunner& runner);

  /// An error only if git could not be started.
  [[nodiscard]] Expected<CommandResult> ask(const std::vector<std::string>& arguments,
                                            const GitLimits& limits = {}) const;
  /// The same for a repository in that tree.
  [[nodiscard]] Git of(const std::filesystem::path& tree) const;

 private:
  std::filesystem::path tree_;
  EnvMap environment_;
  CommandRunner* runner_;
};

/// Why git did not do it: the first line of what it says, or how it ended.
[[nodiscard]] std::string explain_git(const CommandResult& result);

}  // namespace ddp::cli
