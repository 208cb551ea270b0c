#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema ddp_schema() {
  return {
      .name = "ddp",
      .doc = "the ranks average their gradients",
      .options =
          {
              {.key = "bucket_cap_mib",
               .default_value = std::int64_t{25},
               .doc = "size of the gradient buckets in MiB",
               .integers = {.min = 1, .max = 65'536}},
              {.key = "find_unused_parameters",
               .default_value = false,
               .doc = "look for parameters that get no gradient in a step"},
              {.key = "static_graph",
               .default_value = false,
               .doc = "the autograd graph is the same in every step"},
              {.key = "gradient_as_bucket_view",
               .default_value = true,
               .doc = "make gradients views of the buckets, which saves memory"},
              {.key = "broadcast_buffers",
               .default_value = true,
               .doc = "broadcast rank 0's buffers, such as BatchNorm statistics, to all ranks in each step"},
              {.key = "comm_hook",
               .default_value = std::string("none"),
               .doc = "type in which gradients are sent: fp16 or bf16; none: their own type",
               .words = {"none", "fp16", "bf16"},
               .refused_words = {{"power_sgd", "it is not available in this version"}}},
              {.key = "shard_optimizer",
               .default_value = false,
               .doc = "shard the optimizer state over the ranks (ZeRO stage 1)"},
              {.key = "verify_every_steps",
               .default_value = std::int64_t{0},
               .doc = "compare checksums of the parameters of all ranks every N steps; 0: never",
               .integers = {.min = 0}},
          },
  };
}

}  // namespace ddp::trainer
