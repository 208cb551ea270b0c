#pragma once

/// The C library's heap of a process that trains. An executable that links this has its heap in huge pages,
/// where the system gives them, before LibTorch registers its operators there.
namespace ddp::trainer {

/// Lets this process keep the memory that it frees, for the next allocation: each step asks for the same
/// tensors again, and pages that went back to the kernel meanwhile would be cleared and mapped anew. It is the
/// heap of the main thread that is kept; those of others give back what glibc chooses. Before threads are
/// started.
void keep_freed_memory();

/// Gives back what is free now: after something large that does not come again.
void give_back_freed_memory();

}  // namespace ddp::trainer
