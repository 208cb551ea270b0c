#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Attempts whose success the exit records of all their ranks have once confirmed, so that these files need
/// not be read again: a file of the user's state folder, one line each. It only saves time; an attempt is
/// never done twice, so a line stays true. Not thread-safe; several processes may add lines at once.
class ConfirmedSuccesses {
 public:
  /// Knows nothing, and keeps nothing.
  ConfirmedSuccesses() = default;
  /// A file that is absent, or cannot be read, holds nothing.
  explicit ConfirmedSuccesses(std::filesystem::path file);

  [[nodiscard]] bool holds(const RunFolder& folder, int attempt) const;
  void add(const RunFolder& folder, int attempt);
  /// Appends what was added. Where that fails, it is found out again next time.
  void save();

 private:
  std::filesystem::path file_;
  std::unordered_set<std::string> lines_;
  std::vector<std::string> added_;
};

}  // namespace ddp::cli
