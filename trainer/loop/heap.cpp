#include "trainer/loop/heap.hpp"

#include <malloc.h>

namespace ddp::trainer {

// glibc gives the end of the heap back from a threshold on, and takes what is larger than another one, never
// above 32 MiB, from the kernel each time.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_MMAP_MAX, 0);
}

void give_back_freed_memory() {
  malloc_trim(0);
}

}  // namespace ddp::trainer
