#include "trainer/loop/report/freed_memory.hpp"

#include <malloc.h>

namespace ddp::trainer {

void give_back_freed_memory() {
  malloc_trim(0);
}

}  // namespace ddp::trainer
