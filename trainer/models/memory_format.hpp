#pragma once

#include <torch/nn/module.h>

namespace ddp::trainer {

/// Lays the parameters and buffers of four dimensions out in memory with their second one, the channels,
/// last, as Python's `module.to(memory_format=torch.channels_last)`; values and shapes stay. To be called
/// before anything else holds them. Throws InvalidConfiguration when there are none.
void to_channels_last(torch::nn::Module& module);

}  // namespace ddp::trainer
