#include "cli/checkpoint/tensor_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/checkpoint/checkpoint_json.hpp"
#include "tests/unit/cli/checkpoint/checkpoint_files.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorSet load_model(const CheckpointFiles& files) {
  return load_tensor_set(files.folder(), load_manifest(files.folder()).value().files, TensorPart::model);
}

/// The only fault of the model.
std::string fault_in(const CheckpointFiles& files) {
  const auto set = load_model(files);
  return set.faults.size() == 1 ? render_fault(set.faults.front())
                                : std::to_string(set.faults.size()) + " faults";
}

TEST(TensorSetTest, WholeTensors) {
  CheckpointFiles files;
  files.write_whole();
  const auto set = load_model(files);
  EXPECT_TRUE(set.faults.empty());
  EXPECT_EQ(set.shards, 0);
  ASSERT_EQ(set.tensors.size(), 2u);
  EXPECT_EQ(set.tensors[0].name, "w");
  EXPECT_EQ(set.tensors[0].elements(), 3u);
  EXPECT_EQ(set.bytes(), 8u);
}

TEST(TensorSetTest, ShardsMakeAWhole) {
  CheckpointFiles files;
  files.write_shards();
  const auto set = load_model(files);
  EXPECT_TRUE(set.faults.empty());
  EXPECT_EQ(set.shards, 2);
  ASSERT_EQ(set.tensors.size(), 2u);
  EXPECT_THAT(set.tensors[0].shape, ElementsAre(3, 1));
  ASSERT_EQ(set.tensors[0].pieces.size(), 2u);
  EXPECT_EQ(set.tensors[0].pieces[1].first, 2);
  EXPECT_EQ(set.tensors[0].bytes(), 6u);
  EXPECT_EQ(set.tensors[1].pieces.size(), 1u);
}

TEST(TensorSetTest, RowsThatAreMissingOrThereTwice) {
  CheckpointFiles files;
  files.write_shards();
  files.write_shard(TensorPart::model, 2, {{"w", "BF16", {1, 1}, "cc", {3, 0}}});
  EXPECT_THAT(fault_in(files), HasSubstr("from 3 on, but no shard holds rows 2 to 2"));
  files.write_shard(TensorPart::model, 2, {{"w", "BF16", {1, 1}, "cc", {1, 0}}});
  EXPECT_THAT(fault_in(files), HasSubstr("that another shard holds, too: row 1"));
}

TEST(TensorSetTest, PiecesThatAreNotRows) {
  CheckpointFiles files;
  files.write_shards();
  const auto second = [&](TestTensor tensor) {
    files.write_shard(TensorPart::model, 2, {std::move(tensor)});
    return fault_in(files);
  };
  EXPECT_THAT(second({"w", "BF16", {1, 1}, "cc", {2, 1}}), HasSubstr("not a number of whole rows"));
  EXPECT_THAT(second({"w", "BF16", {1, 2}, "cccc", {2, 0}}), HasSubstr("not a number of whole rows"));
  EXPECT_THAT(second({"w", "BF16", {1, 1}, "cc", {2}}), HasSubstr("do not fit its shape"));
  EXPECT_THAT(second({"w", "F16", {1, 1}, "cc", {2, 0}}), HasSubstr("with another type"));
  EXPECT_THAT(second({"w", "BF16", {1, 1}, "cc", {INT64_MAX, 0}}), HasSubstr("too large"));
}

TEST(TensorSetTest, AShardThatIsMissing) {
  CheckpointFiles files;
  files.write_shards();
  std::filesystem::remove(files.path_of(render_tensor_file_name({TensorPart::model, 1})));
  files.write_manifest();
  EXPECT_EQ(fault_in(files), "manifest.json does not name shard-00001-model-00001-of-00001.safetensors");
}

TEST(TensorSetTest, AHeaderThatIsDamaged) {
  CheckpointFiles files;
  files.write_shards();
  files.write("shard-00001-model-00001-of-00001.safetensors", "short");
  EXPECT_THAT(fault_in(files), HasSubstr("is not a valid safetensors file"));
}

}  // namespace
}  // namespace ddp::cli
