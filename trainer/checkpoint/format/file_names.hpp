#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp::trainer {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kStateFile = "state.json";

/// What the tensors of a checkpoint are for. Each part has a file of its own, or one for each shard. There is
/// one of `extra` only where there is something in it; `rng` and `extra` have no shards.
enum class TensorPart { model, optimizer, rng, extra };

/// "model"
[[nodiscard]] std::string_view name_of(TensorPart part);

struct TensorFileName {
  TensorPart part = TensorPart::model;
  int shard = 0;  ///< counts from 1; 0: the file holds the whole part

  bool operator==(const TensorFileName&) const = default;
};

/// "model.safetensors", or "shard-00001-model-00001-of-00001.safetensors" as PyTorch's
/// HuggingFaceStorageWriter names a shard.
[[nodiscard]] std::string render_tensor_file_name(const TensorFileName& name);

/// The file of a rank with its rows of `part`.
[[nodiscard]] inline std::string render_shard_name(int rank, TensorPart part) {
  return render_tensor_file_name({part, rank + 1});
}

/// nullopt for a name that render_tensor_file_name does not make.
[[nodiscard]] std::optional<TensorFileName> parse_tensor_file_name(std::string_view text);

/// Whether it is the name of a shard of `part`, also one of several files of a rank, as PyTorch may write
/// them.
[[nodiscard]] bool is_shard_name(std::string_view name, TensorPart part);

/// Whether it leads to a file of the same folder, whoever wrote it.
[[nodiscard]] bool is_name_in_folder(std::string_view name);

}  // namespace ddp::trainer
