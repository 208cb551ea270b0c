#include "cli/checkpoint/merge_tensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/system/signal_watch.hpp"
#include "tests/unit/cli/checkpoint/checkpoint_files.hpp"

namespace ddp::cli {
namespace {

using testing::HasSubstr;

class MergeTensorsTest : public testing::Test {
 protected:
  Expected<MergedTensors> merge(TensorPart part = TensorPart::model,
                                Replacement replacement = Replacement::refused) {
    return merge_tensors(files_.folder(), part, target(), replacement);
  }
  [[nodiscard]] std::filesystem::path target() const { return out_ / "merged.safetensors"; }
  [[nodiscard]] std::string text() const { return load_file(target()).value(); }
  [[nodiscard]] std::ptrdiff_t files_written() const {
    return std::distance(std::filesystem::directory_iterator(out_.path()),
                         std::filesystem::directory_iterator());
  }

  CheckpointFiles files_;
  TemporaryFolder out_;
};

TEST_F(MergeTensorsTest, ShardsBecomeTheBytesOfAWholeCheckpoint) {
  files_.write_shards();
  CheckpointFiles whole;
  whole.write_whole();
  const auto merged = merge();
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(text(), load_file(whole.path_of("model.safetensors")).value());
  EXPECT_EQ(*merged, (MergedTensors{.tensors = 2, .shards = 2, .bytes = text().size()}));
  ASSERT_TRUE(merge(TensorPart::optimizer, Replacement::allowed));
  EXPECT_EQ(text(), load_file(whole.path_of("optimizer.safetensors")).value());
  EXPECT_EQ(files_written(), 1);
}

TEST_F(MergeTensorsTest, AWholeFileIsCopied) {
  files_.write_whole();
  ASSERT_TRUE(merge());
  EXPECT_EQ(text(), load_file(files_.path_of("model.safetensors")).value());
}

TEST_F(MergeTensorsTest, AnExistingFileStays) {
  files_.write_shards();
  std::ofstream(target()) << "mine";
  const auto merged = merge();
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::usage);
  EXPECT_EQ(text(), "mine");
  EXPECT_EQ(files_written(), 1);
}

TEST_F(MergeTensorsTest, ACheckpointIsNotChanged) {
  files_.write_shards();
  const auto merged = merge_tensors(files_.folder(), TensorPart::model, files_.path_of("model.safetensors"),
                                    Replacement::allowed);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::usage);
}

TEST_F(MergeTensorsTest, OneThatIsDamagedIsNotMerged) {
  files_.write_shards();
  files_.write_shard(TensorPart::model, 2, {{"w", "BF16", {1, 1}, "xx", {2, 0}}});
  const auto merged = merge();
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::no_valid_checkpoint);
  EXPECT_THAT(merged.error().message,
              HasSubstr("shard-00002-model-00001-of-00001.safetensors has been altered"));
  EXPECT_EQ(files_written(), 0);
}

TEST_F(MergeTensorsTest, ASignalLeavesNothing) {
  files_.write_shards();
  SignalWatch holds_it_back;
  ASSERT_EQ(raise(SIGTERM), 0);
  const auto merged = merge();
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::terminated);
  EXPECT_EQ(files_written(), 0);
}

TEST_F(MergeTensorsTest, AFolderThatIsNotThere) {
  files_.write_shards();
  const auto merged =
      merge_tensors(files_.folder(), TensorPart::model, out_ / "no/such/file", Replacement::refused);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::run_failed);
}

}  // namespace
}  // namespace ddp::cli
