#include "jobenv/agent/process/descriptor_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ddp::agent {
namespace {

/// The open descriptors above 2, less the one that lists them.
std::vector<int> open_descriptors() {
  std::vector<int> numbers;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return numbers;
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (number > STDERR_FILENO && number != dirfd(folder)) numbers.push_back(number);
  }
  closedir(folder);
  return numbers;
}

}  // namespace

void close_descriptors_except(std::span<const int> keep) {
  for (const int number : open_descriptors()) {
    if (std::ranges::find(keep, number) == keep.end()) close(number);
  }
}

void close_all_on_exec() {
  for (const int number : open_descriptors()) fcntl(number, F_SETFD, FD_CLOEXEC);
}

void fill_standard_descriptors() {
  int number = open("/dev/null", O_RDWR);
  while (number >= 0 && number <= STDERR_FILENO) number = open("/dev/null", O_RDWR);
  if (number > STDERR_FILENO) close(number);
}

}  // namespace ddp::agent
