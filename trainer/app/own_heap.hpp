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

/// Lets this process give back large blocks when it frees them, for a training that must not hold more memory
/// than it uses: in a heap that is kept, blocks of different sizes leave holes between them. Smaller ones are
/// kept all the same. Before what is large is allocated.
void give_back_large_blocks();

}  // namespace ddp::trainer
