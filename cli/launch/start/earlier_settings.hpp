#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// EarlierSettings keeps the spec and the plan that runs had before they are submitted again, and puts them
/// back if nothing was submitted. The batch script stays: its token names the newest submission.
class EarlierSettings {
 public:
  /// Reads those of `folder`, which may have none.
  void remember(const RunFolder& folder);
  /// Hands on why the submission has failed, and writes all of them again unless there may be a job
  /// (ExitCode::outcome_unknown). What cannot be written stays as it is: `error` is what the user has to
  /// know.
  [[nodiscard]] tl::unexpected<Error> give_up(Error error) const;

 private:
  std::vector<std::pair<std::filesystem::path, std::string>> texts_;
};

}  // namespace ddp::cli
