#include "cli/store/irregular_files.hpp"

#include <system_error>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

void check(const fs::path& path, std::vector<std::string>& found) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  if (const auto opened = open_regular_file(path); !opened) found.push_back(opened.error().message);
}

void check_folder(const fs::path& path, std::vector<std::string>& found) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_directory(status))
    found.push_back("cannot list " + path.string() + ": it is not a folder");
}

void check_all(const fs::path& folder, std::vector<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    if (!entry->is_regular_file(unreadable) && !entry->is_directory(unreadable)) check(entry->path(), found);
  }
}

void check_manifests(const fs::path& checkpoints, std::vector<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_directory(unreadable)) check(entry->path() / "manifest.json", found);
  }
}

}  // namespace

std::vector<std::string> find_irregular_files(const RunFolder& folder, int newest) {
  std::vector<std::string> found;
  const auto logs = folder.root() / "logs";
  for (const auto& path : {folder.ledger(), folder.attempts(), logs, folder.checkpoints(), folder.points()})
    check_folder(path, found);
  for (const auto& path :
       {folder.spec(), folder.plan(), folder.script(), folder.secrets(), folder.sweep_record(),
        folder.metrics(), folder.checkpoints() / "LATEST", folder.checkpoints() / "BEST"})
    check(path, found);
  check_all(logs, found);
  check_manifests(folder.checkpoints(), found);
  if (newest < 0) return found;
  for (const auto& path : {folder.attempt(newest), folder.exits(newest), folder.logs(newest)})
    check_folder(path, found);
  check(folder.claim(newest), found);
  check_all(folder.exits(newest), found);
  check_all(folder.logs(newest), found);
  return found;
}

}  // namespace ddp::cli
