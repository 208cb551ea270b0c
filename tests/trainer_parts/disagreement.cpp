// One rank of a test: the last rank has another module than the others, or other values, or the GPU of rank
// 0, or another backend. Prints what is said of it.
//
//   disagreement shape | name | count | gradient | strides | type | buffer | options | value | device | nccl
//   |
//                cuda | nothing
#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <iostream>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "tests/trainer_parts/parts.hpp"
#include "trainer/distributed/agreement/distinct_devices.hpp"
#include "trainer/distributed/same_parameters.hpp"

namespace ddp::trainer::disagreement {
namespace {

struct Layer : torch::nn::Module {
  explicit Layer(const std::string& fault) {
    const auto value = [&](std::vector<std::int64_t> sizes) {
      return at::ones(sizes, fault == "type" ? at::kDouble : at::kFloat);
    };
    weight =
        register_parameter(fault == "name" ? "weights" : "weight",
                           fault == "strides" ? value({3, 2}).t() : value({fault == "shape" ? 4 : 2, 3}));
    if (fault != "count") register_parameter("bias", value({2}), fault != "gradient");
    register_buffer("mean", value({fault == "buffer" ? 5 : 2}));
  }
  torch::Tensor forward(const torch::Tensor& input) { return input.matmul(weight.t()); }

  torch::Tensor weight;
};

}  // namespace

int run(const Words& words) {
  JobEnvironment job = this_rank();
  job.node_name = "node" + std::to_string(job.rank + 1);
  const std::string fault = job.rank + 1 == job.world_size ? words.at(0) : "nothing";
  ProcessGroup group = join_group(job, {.backend = fault == "nccl" ? Backend::nccl : Backend::gloo,
                                        .device = fault == "cuda" ? std::optional(0) : std::nullopt});
  require_distinct_devices({"GPU-" + std::to_string(fault == "device" ? 0 : group.rank()), "node1"}, group);
  const auto layer = std::make_shared<Layer>(fault);
  DistributedDataParallelOptions options;
  if (fault == "options") options.bucket_cap_mib = 3;
  DistributedDataParallel model(layer, group, options);
  const NamedTensors parameters = {{"weight", layer->weight}};
  require_same_parameters(parameters, 6, group);
  if (fault == "value") layer->weight.data()[0][0] += 1;
  require_same_parameters(parameters, 7, group);
  return 0;
}

}  // namespace ddp::trainer::disagreement
