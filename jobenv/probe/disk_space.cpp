#include "jobenv/probe/disk_space.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <sstream>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp {
namespace {

std::string file_system_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return parse_file_system(load_proc_file("/proc/self/mountinfo"), major(status.st_dev),
                           minor(status.st_dev));
}

}  // namespace

Expected<DiskSpace> measure_disk(const std::filesystem::path& path) {
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0)
    return fail_errno(ExitCode::not_found, "cannot look at " + path.string(), errno);
  return DiskSpace{.file_system = file_system_of(path),
                   .free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize,
                   .total_inodes = space.f_files,
                   .free_inodes = space.f_favail};
}

std::string parse_file_system(std::string_view mountinfo, unsigned major, unsigned minor) {
  const std::string device = std::to_string(major) + ":" + std::to_string(minor);
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, found, word;
    words >> id >> parent >> found;
    if (found != device) continue;
    // The optional fields end with a dash; the type follows.
    while (words >> word && word != "-") {
    }
    if (words >> word) return word;
  }
  return {};
}

}  // namespace ddp
