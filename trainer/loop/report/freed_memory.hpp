#pragma once

namespace ddp::trainer {

/// Gives what the heap holds free back to the system: after something large that does not come again.
void give_back_freed_memory();

}  // namespace ddp::trainer
