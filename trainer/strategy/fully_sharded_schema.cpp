#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

OptionSchema dtype_option(const char* key, const char* doc) {
  return {.key = key, .default_value = std::string("fp32"), .doc = doc, .words = {"fp32", "bf16", "fp16"}};
}

std::vector<OptionSchema> fully_sharded_options() {
  return {
      {.key = "reshard_after_forward",
       .default_value = true,
       .doc = "free the gathered parameters of a block after its forward pass and gather them again for its "
              "backward pass; false uses more memory and sends less"},
      dtype_option("param_dtype",
                   "type of the gathered parameters and of what a block computes; the shards stay fp32"),
      dtype_option("reduce_dtype", "type in which gradients are summed over the ranks"),
      {.key = "prefetch",
       .default_value = true,
       .doc = "gather the parameters of the next block while a block computes"},
  };
}

}  // namespace

ComponentSchema fsdp_schema() {
  return {.name = "fsdp",
          .doc =
              "each rank holds a shard of the parameters, gradients and optimizer state, as torch's "
              "fully_shard",
          .options = fully_sharded_options()};
}

ComponentSchema hsdp_schema() {
  ComponentSchema schema{.name = "hsdp",
                         .doc = "fsdp within groups of ranks, whose gradients are averaged over the groups",
                         .options = fully_sharded_options()};
  schema.options.push_back({.key = "shard",
                            .default_value = std::int64_t{0},
                            .doc = "number of ranks of a group; 0: the ranks of a node",
                            .integers = {.min = 0, .max = 1'000'000}});
  schema.options.push_back(
      {.key = "verify_every_steps",
       .default_value = std::int64_t{0},
       .doc = "compare checksums of the parameters between the groups every N steps; 0: never",
       .integers = {.min = 0}});
  return schema;
}

}  // namespace ddp::trainer
