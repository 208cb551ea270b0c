#include "trainer/models/memory_format.hpp"

#include <ATen/ATen.h>

#include <vector>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {

void to_channels_last(torch::nn::Module& module) {
  std::vector<torch::Tensor> tensors = module.parameters();
  for (const auto& buffer : module.buffers()) tensors.push_back(buffer);
  bool found = false;
  for (auto& tensor : tensors) {
    if (tensor.dim() != 4) continue;
    found = true;
    tensor.set_data(tensor.data().to(tensor.options(), /*non_blocking=*/false, /*copy=*/false,
                                     at::MemoryFormat::ChannelsLast));
  }
  if (!found) {
    throw InvalidConfiguration(
        "train.memory_format channels_last: the model has no four-dimensional parameter, such as the "
        "weight of a 2D convolution; remove memory_format");
  }
}

}  // namespace ddp::trainer
