#include "cli/checkpoint/tensor_file_name.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(TensorFileNameTest, NamesOfWholePartsAndOfShards) {
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "rng.safetensors",
        "shard-00001-model-00001-of-00001.safetensors", "shard-00012-optimizer-00001-of-00001.safetensors"}) {
    const auto parsed = parse_tensor_file_name(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(render_tensor_file_name(*parsed), name);
  }
  EXPECT_EQ(parse_tensor_file_name("shard-00012-optimizer-00001-of-00001.safetensors"),
            (TensorFileName{TensorPart::optimizer, 12}));
}

TEST(TensorFileNameTest, OtherNamesAreNone) {
  for (const char* name : {"state.json", "weights.safetensors", "shard-1-model-00001-of-00001.safetensors",
                           "shard-00000-model-00001-of-00001.safetensors",
                           "shard-00001-model-00002-of-00002.safetensors", "shard-", ""})
    EXPECT_FALSE(parse_tensor_file_name(name)) << name;
}

}  // namespace
}  // namespace ddp::cli
