#include "cli/store/disk_usage.hpp"

#include <sys/stat.h>

#include <set>
#include <utility>

namespace ddp::cli {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks, whatever the file system

class DiskUsage {
 public:
  /// What is below a folder counts, too.
  void add_tree(const std::filesystem::path& path) {
    add(path);
    std::error_code error;
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) return;
    std::filesystem::directory_iterator entry(path, error);
    for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error))
      add_tree(entry->path());
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void add(const std::filesystem::path& path) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) return;
    const bool has_other_names = !S_ISDIR(found.st_mode) && found.st_nlink > 1;
    if (has_other_names && !counted_.emplace(found.st_dev, found.st_ino).second) return;
    bytes_ += static_cast<std::uint64_t>(found.st_blocks) * kBlockBytes;
  }
  std::uint64_t bytes_ = 0;
  std::set<std::pair<dev_t, ino_t>> counted_;  // of files with several names
};

}  // namespace

std::uint64_t disk_usage(const std::filesystem::path& folder) {
  DiskUsage usage;
  usage.add_tree(folder);
  return usage.bytes();
}

}  // namespace ddp::cli
