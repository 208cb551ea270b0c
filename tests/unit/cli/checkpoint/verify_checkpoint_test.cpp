#include "cli/checkpoint/verify_checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/checkpoint/checkpoint_files.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const CheckpointFiles& files) {
  std::vector<std::string> texts;
  for (const auto& fault : verify_checkpoint(files.folder()).faults) texts.push_back(render_fault(fault));
  return texts;
}

TEST(VerifyCheckpointTest, OneThatIsWhole) {
  CheckpointFiles files;
  files.write_whole();
  const auto verification = verify_checkpoint(files.folder());
  EXPECT_TRUE(verification.is_valid());
  EXPECT_EQ(verification.step, 7u);
  EXPECT_EQ(verification.files, 4u);
  EXPECT_EQ(verification.tensors, 5u);
  EXPECT_EQ(verification.shards, 0);
}

TEST(VerifyCheckpointTest, OneOfShards) {
  CheckpointFiles files;
  files.write_shards();
  const auto verification = verify_checkpoint(files.folder());
  EXPECT_THAT(faults_of(files), IsEmpty());
  EXPECT_EQ(verification.tensors, 5u);
  EXPECT_EQ(verification.shards, 2);
}

TEST(VerifyCheckpointTest, FilesThatAreMissingCutShortOrAltered) {
  CheckpointFiles files;
  files.write_whole();
  std::filesystem::remove(files.path_of("state.json"));
  std::filesystem::resize_file(files.path_of("model.safetensors"), 20);
  auto text = load_file(files.path_of("rng.safetensors")).value();
  text.back() = 'x';
  files.write("rng.safetensors", text);
  EXPECT_THAT(
      faults_of(files),
      ElementsAre(HasSubstr("model.safetensors has 20 bytes, but manifest.json says "),
                  HasSubstr("rng.safetensors has been altered: its crc32c is "), "state.json is missing"));
}

TEST(VerifyCheckpointTest, BytesThatBelongToNoTensor) {
  CheckpointFiles files;
  files.write_whole();
  files.write("rng.safetensors", render_tensors({{"rank-0", "U8", {2}, "rr"}}) + "more");
  files.write_manifest();
  EXPECT_THAT(faults_of(files), ElementsAre("rng.safetensors has 4 bytes behind its tensors"));
}

TEST(VerifyCheckpointTest, FilesThatTheManifestDoesNotName) {
  CheckpointFiles files;
  files.write_whole();
  std::filesystem::remove(files.path_of("optimizer.safetensors"));
  files.write_manifest();
  EXPECT_THAT(faults_of(files),
              ElementsAre("manifest.json does not name optimizer.safetensors, or shards of it"));
}

TEST(VerifyCheckpointTest, AsManyShardsOfTheOptimizerAsOfTheModel) {
  CheckpointFiles files;
  files.write_shards();
  files.write_shard(TensorPart::model, 3, {});
  files.write_manifest();
  EXPECT_THAT(faults_of(files),
              ElementsAre("manifest.json names 3 shards of the model, but 2 of the optimizer"));
}

TEST(VerifyCheckpointTest, WithoutAManifestNothingIsKnown) {
  CheckpointFiles files;
  EXPECT_THAT(faults_of(files), ElementsAre("manifest.json is missing"));
  files.write("manifest.json", "{}");
  EXPECT_THAT(faults_of(files), ElementsAre("manifest.json has no format"));
}

TEST(VerifyCheckpointTest, AStateWithoutItsFields) {
  CheckpointFiles files;
  files.write_whole();
  files.write("state.json", R"({"step":"seven"})");
  files.write_manifest();
  EXPECT_THAT(faults_of(files), ElementsAre(HasSubstr("state.json lacks a field")));
}

}  // namespace
}  // namespace ddp::cli
