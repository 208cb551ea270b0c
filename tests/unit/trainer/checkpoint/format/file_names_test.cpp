#include "trainer/checkpoint/format/file_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ddp::trainer {
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

TEST(ShardName, IsThatOfPyTorch) {
  EXPECT_EQ(render_shard_name(0, TensorPart::model), "shard-00001-model-00001-of-00001.safetensors");
  EXPECT_EQ(render_shard_name(123'456, TensorPart::optimizer),
            "shard-123457-optimizer-00001-of-00001.safetensors");
  EXPECT_TRUE(is_shard_name(render_shard_name(7, TensorPart::model), TensorPart::model));
  EXPECT_TRUE(is_shard_name("shard-00001-model-00002-of-00003.safetensors", TensorPart::model));
  EXPECT_FALSE(is_shard_name(render_shard_name(7, TensorPart::optimizer), TensorPart::model));
  for (const char* name :
       {"", "shard-", "shard--model-00001-of-00001.safetensors", "model.safetensors",
        "shard-00001-model-00001-of-00001.safetensors.tmp", "shard-00001-model-1/2-of-00001.safetensors"})
    EXPECT_FALSE(is_shard_name(name, TensorPart::model)) << name;
}

TEST(NameInFolder, LeadsNowhereElse) {
  for (const char* name : {"a", "..a", "model-00001-of-00002.safetensors"})
    EXPECT_TRUE(is_name_in_folder(name)) << name;
  for (const char* name : {"", ".", "..", "/a", "../a", "a/b"}) EXPECT_FALSE(is_name_in_folder(name)) << name;
  EXPECT_FALSE(is_name_in_folder(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace ddp::trainer
