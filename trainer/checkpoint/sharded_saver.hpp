#pragma once

#include <chrono>
#include <filesystem>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer/checkpoint/checkpoint_saver.hpp"
#include "trainer/checkpoint/shard_exchange.hpp"

namespace ddp::trainer {

/// For ranks that write their own rows of the state: see put_rows(). Each has a saver, and all of them save
/// the same states in the same order. The state of rank 0 also has what is not divided among the ranks.
///
/// Rank 0 makes the folder, waits until all parts are on the disk, and commits the checkpoint, or throws, as
/// CheckpointStore::save() does. It then tells of a rank that could not write its part, too. On other ranks
/// save() returns when their part is written or will not be, and throws only what ShardExchange throws: the
/// run is at its end then.
class ShardedSaver final : public CheckpointSaver {
 public:
  /// For rank `rank` of `ranks`. `store` is for these savers alone; rank 0 serves it.
  ShardedSaver(CheckpointStore checkpoints, c10::intrusive_ptr<c10d::Store> store, int rank, int ranks,
               std::chrono::milliseconds patience = ShardExchange::kPatience);

  SaveOutcome save(const TrainingState& state, const SaveOptions& options) override;
  void hurry() noexcept override { exchange_.hurry(); }
  [[nodiscard]] bool waits_for_ranks() const noexcept override { return exchange_.is_waiting(); }

 private:
  [[nodiscard]] SaveOutcome save_as_rank_0(const TrainingState& state, const SaveOptions& options);
  void write_files(const std::filesystem::path& folder, const TrainingState& state);
  void save_own_part(const TrainingState& state);

  CheckpointStore checkpoints_;
  ShardExchange exchange_;
};

}  // namespace ddp::trainer
