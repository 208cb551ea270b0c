#include "trainer/app/own_heap.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ddp::trainer {
namespace {

/// How many parts of this process's heap the kernel was asked to back with huge pages.
int parts_with_huge_pages() {
  std::ifstream mappings("/proc/self/smaps");
  std::string line;
  bool in_heap = false;
  int parts = 0;
  while (std::getline(mappings, line)) {
    const bool begins_mapping =
        line.find(':') > line.find(' ');  // "55d0a000-55e0a000 rw-p ... 00:00 0 [heap]"
    if (begins_mapping) in_heap = line.ends_with("[heap]");
    if (in_heap && line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) ++parts;
  }
  return parts;
}

TEST(OwnHeap, HasHugePagesForWhatLibTorchRegistersBeforeMain) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this kernel has no huge pages";
  keep_freed_memory();  // links it
  EXPECT_EQ(parts_with_huge_pages(), 1);
}

}  // namespace
}  // namespace ddp::trainer
