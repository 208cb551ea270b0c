#pragma once

#include <string>
#include <string_view>

/// NCCL's errors come as c10::DistBackendError, whatever they are: only their text tells.
namespace ddp::trainer {

/// Whether the error is one of this rank's CUDA device or of its calls, and not the loss of a peer.
[[nodiscard]] bool is_cuda_failure(std::string_view message);

/// Whether NCCL could not be connected because another rank is gone or has not come in time.
[[nodiscard]] bool is_missing_peer(std::string_view message);

/// The message without the backtrace that LibTorch puts into it.
[[nodiscard]] std::string cut_backtrace(std::string_view message);

}  // namespace ddp::trainer
