#include "jobenv/record/files/descriptor_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

namespace ddp {
namespace {

constexpr unsigned kLast = std::numeric_limits<unsigned>::max();
constexpr unsigned kOnExec =
    1U << 2U;  // CLOSE_RANGE_CLOEXEC of linux/close_range.h, which older headers lack

enum class Closed { no, yes };

/// Needs no descriptor itself: there may be none left. `no`: the kernel is older than Linux 5.9, or than 5.11
/// with kOnExec.
Closed close_between(unsigned first, unsigned last, unsigned flags = 0) {
#ifdef __NR_close_range  // the kernel's headers may be newer than those of the C library
  return syscall(__NR_close_range, first, last, flags) == 0 ? Closed::yes : Closed::no;
#else
  (void)first, (void)last, (void)flags;
  return Closed::no;
#endif
}

/// `keep` in ascending order.
Closed close_gaps_between(const std::vector<int>& keep) {
  int first = STDERR_FILENO + 1;
  for (const int number : keep) {
    if (number < first) continue;
    const bool gap = number > first;
    if (gap && close_between(static_cast<unsigned>(first), static_cast<unsigned>(number) - 1) == Closed::no)
      return Closed::no;
    first = number + 1;
  }
  return close_between(static_cast<unsigned>(first), kLast);
}

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
  std::vector<int> ascending(keep.begin(), keep.end());
  std::ranges::sort(ascending);
  if (close_gaps_between(ascending) == Closed::yes) return;
  for (const int number : open_descriptors()) {
    if (std::ranges::find(keep, number) == keep.end()) close(number);
  }
}

void close_all_on_exec() {
  if (close_between(STDERR_FILENO + 1, kLast, kOnExec) == Closed::yes) return;
  for (const int number : open_descriptors()) fcntl(number, F_SETFD, FD_CLOEXEC);
}

void fill_standard_descriptors() {
  int number = open("/dev/null", O_RDWR);
  while (number >= 0 && number <= STDERR_FILENO) number = open("/dev/null", O_RDWR);
  if (number > STDERR_FILENO) close(number);
}

}  // namespace ddp
