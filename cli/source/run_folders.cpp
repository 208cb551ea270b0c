#include "cli/source/run_folders.hpp"

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

namespace fs = std::filesystem;

bool is_run_folder(const fs::path& folder) {
  const RunFolder run(folder);
  std::error_code error;
  if (folder.filename().string().starts_with(".deleting-")) return true;
  return fs::is_directory(run.ledger(), error) && fs::exists(run.spec(), error) &&
         (fs::exists(run.plan(), error) || fs::exists(run.sweep_record(), error));
}

bool RunFolders::hold(const fs::path& name) {
  const fs::path folder = name.parent_path();
  if (folder.empty()) return false;
  const auto place = known_.find(folder);
  if (place != known_.end()) return place->second;
  const bool held = hold(folder) || is_run_folder(root_ / folder);
  known_[folder] = held;
  return held;
}

}  // namespace ddp::cli
