#include "trainer/app/own_heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace ddp::trainer {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

/// LibTorch registers its operators before main: 45 MB of small blocks, which stay.
constexpr int kRegistrations = 64 << 20;
constexpr int kUsualTopPad = 128 << 10;  // glibc's own
constexpr int kUsualMappings = 65'536;   // likewise

/// Its page faults cost less than a hundredth of what is computed with it.
constexpr int kLargeBlock = 1 << 20;

std::uintptr_t heap_end() {
  return reinterpret_cast<std::uintptr_t>(sbrk(0));
}

/// Makes room for them in one piece, of huge pages where the system has them: faults for pages of 4 KiB are
/// a tenth of a start. Does nothing where the heap has begun already, or is another allocator's.
void make_room_for_registrations(int, char**, char**) {
  const std::uintptr_t begin = (heap_end() + kHugePage - 1) / kHugePage * kHugePage;
  mallopt(M_TRIM_THRESHOLD, -1);  // or the first free gives it back, and each step what it has freed
  mallopt(M_TOP_PAD, kRegistrations);
  void* volatile block = std::malloc(1);  // volatile: a compiler may leave out a pair that nobody uses
  std::free(block);
  mallopt(M_TOP_PAD, kUsualTopPad);
  const std::uintptr_t end = heap_end() / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// Before the constructors of all libraries; only an executable has such functions.
using Constructor = void(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] Constructor* const kFirst = make_room_for_registrations;

}  // namespace

// The end of the heap stays since make_room_for_registrations(). What is larger than a threshold, never above
// 32 MiB, glibc takes from the kernel each time.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
}

void give_back_large_blocks() {
  mallopt(M_MMAP_MAX, kUsualMappings);
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
}

}  // namespace ddp::trainer
