#include "trainer/checkpoint/checkpoint_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::HasSubstr;

class IndexedCheckpoint : public Checkpoint {
 protected:
  [[nodiscard]] path place() const { return folder() / "step-00000002-a0"; }

  void save_shards(int ranks) const { save_sharded_files(place(), state_, ranks); }

  /// Of a rank that has been sent the index.
  [[nodiscard]] CheckpointReader sent_reader() const {
    return {place(), parse_checkpoint_index(render_checkpoint_index(read_checkpoint_index(place())))};
  }

  const TrainingState state_ = large_state_of(2);
};

TEST_F(IndexedCheckpoint, IsReadByARankThatHasBeenSentTheIndex) {
  for (const int ranks : {1, 3, 7}) {
    save_shards(ranks);
    const CheckpointReader reader = sent_reader();
    EXPECT_TRUE(same_state(reader.load(), state_)) << ranks;
    EXPECT_EQ(reader.tensor_files(), CheckpointReader(place()).tensor_files()) << ranks;
    std::filesystem::remove_all(place());
  }
}

TEST_F(IndexedCheckpoint, AWholeOneIsReadSoToo) {
  save(2);
  EXPECT_TRUE(same_state(sent_reader().load(), state_of(2)));
}

TEST_F(IndexedCheckpoint, OnlyTheFilesWhoseRowsAreReadAreOpened) {
  save_shards(2);
  const CheckpointIndex index = read_checkpoint_index(place());
  for (const auto& entry : std::filesystem::directory_iterator(place()))
    if (entry.path().filename() != render_shard_name(0, TensorPart::model))
      std::filesystem::remove(entry.path());
  const CheckpointReader reader(place(), index);
  const TensorRows own = rows_of_rank("embed.weight", state_.model[2].second, 0, 2);
  EXPECT_TRUE(same_tensor(reader.model().read_rows("embed.weight", 0, own.rows.size(0)), own.rows));
  EXPECT_THAT([&] { (void)reader.model().read("embed.weight"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr(render_shard_name(1, TensorPart::model))));
}

TEST_F(IndexedCheckpoint, AFileThatIsMissingIsNoDeletion) {
  save_shards(2);
  const CheckpointReader reader(place());
  EXPECT_FALSE(reader.is_deleted());
  std::filesystem::remove(place() / render_shard_name(1, TensorPart::model));
  EXPECT_FALSE(reader.is_deleted());
}

TEST_F(IndexedCheckpoint, ADeletionIsNoticed) {
  save_shards(2);
  const CheckpointReader reader(place());
  std::filesystem::rename(place(), place().string() + ".removed");  // what a deletion begins with
  EXPECT_TRUE(reader.is_deleted());
  save_sharded_files(place(), large_state_of(3), 2);  // another one under its name
  EXPECT_TRUE(reader.is_deleted());
  std::filesystem::remove_all(folder());
  EXPECT_TRUE(reader.is_deleted());
}

TEST_F(IndexedCheckpoint, AnotherFolderOfThatNameIsRefused) {
  save_shards(2);
  const CheckpointReader reader = sent_reader();
  reader.require_same_manifest();
  std::filesystem::remove_all(place());
  EXPECT_THROW(reader.require_same_manifest(), std::runtime_error);
  save_sharded_files(place(), large_state_of(3), 2);
  EXPECT_THAT([&] { reader.require_same_manifest(); },
              testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("manifest.json' is not the same file that rank 0 reads")));
}

}  // namespace
}  // namespace ddp::trainer
