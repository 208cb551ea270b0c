#include "cli/top/load/ledger_stamp.hpp"

#include <utility>

namespace ddp::cli {

bool LedgerStamp::has_changed() {
  if (const auto of_folder = stamp_of(folder_); of_folder != of_folder_) {
    of_folder_ = of_folder;
    list();
  }
  std::vector<FileStamp> of_files;
  of_files.reserve(files_.size());
  for (const auto& file : files_) of_files.push_back(stamp_of(file));
  const bool first = std::exchange(first_, false);
  const bool changed = of_files != of_files_;
  of_files_ = std::move(of_files);
  return first || changed;
}

void LedgerStamp::list() {
  files_.clear();
  of_files_.clear();
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error))
    files_.push_back(entry->path());
}

}  // namespace ddp::cli
