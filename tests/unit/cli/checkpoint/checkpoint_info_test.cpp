#include "cli/checkpoint/checkpoint_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/checkpoint/checkpoint_info_text.hpp"
#include "tests/unit/cli/checkpoint/checkpoint_files.hpp"

namespace ddp::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(CheckpointInfoTest, ParametersAndBuffersAreToldApart) {
  CheckpointFiles files;
  files.write_whole();
  const auto info = load_checkpoint_info(files.folder());
  ASSERT_TRUE(info);
  EXPECT_EQ(total_of(*info, TensorKind::parameter), (TensorTotal{.tensors = 1, .elements = 3, .bytes = 6}));
  EXPECT_EQ(total_of(*info, TensorKind::buffer), (TensorTotal{.tensors = 1, .elements = 2, .bytes = 2}));
  EXPECT_EQ(total_of(*info, TensorKind::optimizer).tensors, 2u);
}

TEST(CheckpointInfoTest, WithoutStateOfTheOptimizerBuffersOfBatchNormAreToldByName) {
  CheckpointFiles files;
  files.write_whole();
  files.write("model.safetensors",
              render_tensors({{"bn.weight", "U8", {1}, "a"}, {"bn.running_mean", "U8", {1}, "b"}}));
  files.write("optimizer.safetensors", render_tensors({}));
  files.write_manifest();
  const auto info = load_checkpoint_info(files.folder());
  ASSERT_TRUE(info);
  EXPECT_EQ(total_of(*info, TensorKind::parameter).tensors, 1u);
  EXPECT_EQ(total_of(*info, TensorKind::buffer).tensors, 1u);
}

TEST(CheckpointInfoTest, Json) {
  CheckpointFiles files;
  files.write_shards();
  const auto value = to_json(load_checkpoint_info(files.folder()).value());
  EXPECT_EQ(value["step"], 7);
  EXPECT_EQ(value["shards"], 2);
  EXPECT_EQ(value["totals"]["parameter"]["elements"], 3);
  EXPECT_EQ(value["tensors"][0]["name"], "w");
  EXPECT_EQ(value["tensors"][0]["dtype"], "bfloat16");
  EXPECT_EQ(value["tensors"][0]["shape"], nlohmann::json({3, 1}));
  EXPECT_EQ(value["tensors"][0]["files"].size(), 2u);
}

TEST(CheckpointInfoTest, Text) {
  CheckpointFiles files;
  files.write_shards();
  const auto info = load_checkpoint_info(files.folder()).value();
  EXPECT_THAT(render_checkpoint_info(info, ListedTensors::some, std::nullopt),
              AllOf(HasSubstr("step        7 of 9\n"), HasSubstr("after 1 epoch and 2 batches of the next\n"),
                    HasSubstr("model mlp, optimizer adam\n"), HasSubstr("sharded over 2 ranks\n"),
                    HasSubstr("  w        bfloat16  [3, 1]  6 B\n"), HasSubstr("and 3 more"),
                    Not(HasSubstr("exp_avg"))));
  EXPECT_THAT(render_checkpoint_info(info, ListedTensors::all, std::nullopt),
              AllOf(HasSubstr("w.exp_avg"), HasSubstr("rank-0"), Not(HasSubstr("--all"))));
}

TEST(CheckpointInfoTest, OneThatIsDamaged) {
  CheckpointFiles files;
  files.write_whole();
  files.write("model.safetensors", "short");
  const auto info = load_checkpoint_info(files.folder());
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, ExitCode::no_valid_checkpoint);
  EXPECT_THAT(info.error().message, HasSubstr("model.safetensors is not a valid safetensors file"));
}

TEST(CheckpointInfoTest, NamesOfTypes) {
  EXPECT_EQ(torch_name("F32"), "float32");
  EXPECT_EQ(torch_name("BF16"), "bfloat16");
  EXPECT_EQ(torch_name("I64"), "int64");
  EXPECT_EQ(torch_name("U8"), "uint8");
  EXPECT_EQ(torch_name("BOOL"), "bool");
}

}  // namespace
}  // namespace ddp::cli
