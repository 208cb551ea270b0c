#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "trainer/checkpoint/format/file_sum.hpp"
#include "trainer/checkpoint/tensor_rows.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// What lies in the folder of one checkpoint: rng.safetensors, state.json, extra.safetensors if there is
/// something to hold, and manifest.json with size and crc32c of each other file. A whole one has
/// model.safetensors and optimizer.safetensors. A sharded one has instead, for each rank, one file of each
/// kind with the rows of that rank: render_shard_name(). Every *.safetensors of a sharded one says which rows
/// it has, so that PyTorch's HuggingFaceStorageReader and consolidate_safetensors_files accept the folder.

/// Makes `folder` and writes the files of a whole checkpoint into it, each one durable; their names are not
/// yet. Throws std::system_error.
void save_checkpoint_files(const std::filesystem::path& folder, const TrainingState& state);

/// Writes the files of rank `rank` into `folder`, which is there, each one durable; their names are not yet.
/// Gives their sums, for save_shared_files(): of as many files as there are tensors for, so of none, one or
/// two. Throws std::system_error when the disk refuses, and std::invalid_argument like
/// save_safetensors_shard().
[[nodiscard]] FileSums save_shard_files(const std::filesystem::path& folder, int rank, const StateRows& rows);

/// Writes the other files of a sharded checkpoint, the manifest last, each one durable; their names are not
/// yet. All ranks have written theirs before: `shards` are the sums of all of them. The lists `model` and
/// `optimizer` of `state` are not used. Throws std::system_error, and std::invalid_argument when `shards` is
/// empty.
void save_shared_files(const std::filesystem::path& folder, const TrainingState& state,
                       const FileSums& shards);

/// Reads a checkpoint of either form, whole. Throws std::runtime_error that says which file is missing, cut
/// short or altered.
[[nodiscard]] TrainingState load_checkpoint_files(const std::filesystem::path& folder);

/// The same. Returns what is wrong with the checkpoint; an empty text: `state` is what it holds.
[[nodiscard]] std::string load_or_fault(const std::filesystem::path& folder,
                                        std::optional<TrainingState>& state);

/// Whether the manifest is readable and every file has the size that it says. Does not read their contents.
[[nodiscard]] bool looks_complete(const std::filesystem::path& folder);

}  // namespace ddp::trainer
