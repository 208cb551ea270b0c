#include "trainer/app/own_heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace ddp::trainer {
namespace {

/// How much of this process's heap the kernel was asked to back with huge pages.
std::uint64_t kib_of_huge_pages() {
  std::ifstream mappings("/proc/self/smaps");
  std::string line;
  bool in_heap = false;
  std::uint64_t size = 0;  // of the mapping
  std::uint64_t found = 0;
  while (std::getline(mappings, line)) {
    const bool begins_mapping =
        line.find(':') > line.find(' ');  // "55d0a000-55e0a000 rw-p ... 00:00 0 [heap]"
    if (begins_mapping) in_heap = line.ends_with("[heap]");
    if (line.starts_with("Size:")) size = std::stoull(line.substr(std::string("Size:").size()));
    if (in_heap && line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) found += size;
  }
  return found;
}

TEST(OwnHeap, HasHugePagesForWhatLibTorchRegistersBeforeMain) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the heap is the sanitizer's";
#endif
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this kernel has no huge pages";
  [[maybe_unused]] void (*volatile const linked)() = keep_freed_memory;  // not called: it is for good
  constexpr std::uint64_t kRegistrations = 45 << 10;                     // KiB
  EXPECT_GE(kib_of_huge_pages(), kRegistrations);
}

}  // namespace
}  // namespace ddp::trainer
