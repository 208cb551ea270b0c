#include "jobenv/agent/process/mapped_file.hpp"

#include <algorithm>
#include <sstream>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

}  // namespace

std::vector<MappedFile> parse_mapped_files(const std::string& maps) {
  std::vector<MappedFile> files;
  std::istringstream text(maps);
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    std::string range, rights, offset;
    MappedFile file;
    fields >> range >> rights >> offset >> file.device >> file.inode >> std::ws;
    std::getline(fields, file.path);
    if (file.path.starts_with('/') && !file.path.ends_with(kDeleted)) files.push_back(std::move(file));
  }
  std::ranges::sort(files);
  const auto repeats = std::ranges::unique(files);
  files.erase(repeats.begin(), repeats.end());
  return files;
}

std::vector<MappedFile> mapped_files(pid_t pid) {
  return parse_mapped_files(load_proc_file("/proc/" + std::to_string(pid) + "/maps"));
}

}  // namespace ddp::agent
