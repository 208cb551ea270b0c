#pragma once

#include <filesystem>
#include <vector>

#include "cli/top/load/file_stamp.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Tells whether the ledger of a run has changed. A folder is listed only when a file has come or gone.
class LedgerStamp {
 public:
  explicit LedgerStamp(const RunFolder& folder) : folder_(folder.ledger()) {}

  /// Since the last call. At first it has.
  [[nodiscard]] bool has_changed();
  /// Whether somebody has begun to write to it since the last call: of a run that has ended, one stat.
  [[nodiscard]] bool has_new_writer() const { return stamp_of(folder_) != of_folder_; }

 private:
  void list();

  std::filesystem::path folder_;
  bool first_ = true;
  FileStamp of_folder_;
  std::vector<std::filesystem::path> files_;
  std::vector<FileStamp> of_files_;
};

}  // namespace ddp::cli
