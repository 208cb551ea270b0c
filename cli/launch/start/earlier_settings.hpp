#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The spec and the plan that runs had before they are submitted again, so that values do not stay with which
/// nothing was submitted. The batch script stays: its token names the newest submission.
class EarlierSettings {
 public:
  /// Reads those of `folder`, which may have none.
  void remember(const RunFolder& folder);
  /// Writes all of them again. What cannot be written stays as it is: the refusal is what the user has to
  /// know.
  void restore() const;

 private:
  std::vector<std::pair<std::filesystem::path, std::string>> texts_;
};

}  // namespace ddp::cli
