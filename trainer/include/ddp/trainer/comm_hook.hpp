#pragma once

namespace ddp::trainer {

/// How a bucket of gradients travels between the ranks. fp16 and bf16 halve its bytes: it is rounded to that
/// type, divided by the number of ranks, added up in that type and rounded back, as Python's
/// fp16_compress_hook and bf16_compress_hook do.
enum class CommHook { none, fp16, bf16 };

}  // namespace ddp::trainer
