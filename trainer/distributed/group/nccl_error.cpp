#include "trainer/distributed/group/nccl_error.hpp"

namespace ddp::trainer {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool is_cuda_failure(std::string_view message) {
  return contains(message, "CUDA error: ") || contains(message, "ncclUnhandledCudaError");
}

// The id of the communicator comes from rank 0 through the store: who waits for it in vain gets the first.
bool is_missing_peer(std::string_view message) {
  return contains(message, "application crash on rank 0") || contains(message, "ncclRemoteError");
}

std::string cut_backtrace(std::string_view message) {
  message = message.substr(0, message.find("Exception raised from"));
  const auto last = message.find_last_not_of(" \n");
  return std::string(message.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace ddp::trainer
