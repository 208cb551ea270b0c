#pragma once

namespace ddp::trainer {

/// Lets this process keep the memory that it frees, for the next allocation: each step asks for the same
/// tensors again, and pages that went back to the kernel meanwhile would be cleared and mapped anew. It is
/// the heap of the main thread that is kept; those of others give back what glibc chooses. Before threads are
/// started.
///
/// An executable that links this has its heap in huge pages, where the system gives them, before LibTorch
/// registers its operators there. A shared library cannot link it.
void keep_freed_memory();

}  // namespace ddp::trainer
