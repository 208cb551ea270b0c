#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/checkpoint/checkpoint_index.hpp"
#include "trainer/checkpoint/format/manifest.hpp"
#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/checkpoint/state_file.hpp"
#include "trainer/checkpoint/tensor_files.hpp"

namespace ddp::trainer {

/// The folder of one checkpoint, whole or sharded, open to be read: by each rank for the rows that it needs,
/// whatever number of ranks wrote it. Used by one thread at a time. Except where another error is named, its
/// functions throw std::runtime_error that says which file is missing, cut short or altered.
class CheckpointReader {
 public:
  /// Reads the index. What the files hold is checked by verify(), or while load() reads it.
  explicit CheckpointReader(const std::filesystem::path& folder);

  /// The same with an `index` that somebody has read: opens no file.
  CheckpointReader(std::filesystem::path folder, CheckpointIndex index);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// For a rank that has been sent the index: checks that it sees the checkpoint that rank 0 has read.
  void require_same_manifest() const;

  /// was_deleted() since the index was read.
  [[nodiscard]] bool is_deleted() const { return was_deleted(folder_, manifest_text_); }

  /// Step, epoch and so on; it has no tensors.
  [[nodiscard]] const TrainingState& progress() const { return state_.state; }

  /// Where the tensors are. Their functions throw what TensorFiles says.
  [[nodiscard]] const TensorFiles& model() const { return model_; }
  [[nodiscard]] TensorFiles take_model() && { return std::move(model_); }
  [[nodiscard]] const TensorFiles& optimizer() const { return optimizer_; }

  /// The names of all files that have tensors.
  [[nodiscard]] std::vector<std::string> tensor_files() const;

  /// Those of tensor_files() that rank `rank` of `ranks` verifies, so that all ranks together verify each one
  /// once, in about equal shares of their bytes. The same on all ranks.
  [[nodiscard]] std::vector<std::string> share_of_files(int rank, int ranks) const;

  /// Reads these of tensor_files() and compares their sums with the manifest.
  void verify(std::span<const std::string> names) const;

  /// What every rank needs as a whole: generators, gradient scaler. They are compared with the manifest.
  [[nodiscard]] std::vector<torch::Tensor> load_rng() const;
  [[nodiscard]] NamedTensors load_extra() const;

  /// All parameters and buffers, compared with the manifest.
  [[nodiscard]] NamedTensors load_model() const;

  /// The whole state, compared with the manifest.
  [[nodiscard]] TrainingState load() const;

 private:
  [[nodiscard]] TensorFiles files_of(TensorIndex index) const;
  [[nodiscard]] NamedTensors load_all(const TensorFiles& files) const;
  [[nodiscard]] const FileSum& sum_of_file(const std::string& name) const;

  std::filesystem::path folder_;
  std::string manifest_text_;
  Manifest manifest_;
  StateFile state_;
  TensorFiles model_;
  TensorFiles optimizer_;
  TensorFiles rng_;
  TensorFiles extra_;
};

}  // namespace ddp::trainer
