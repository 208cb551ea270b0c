#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp::cli {

/// What the tensors of a checkpoint are for. Each part has a file of its own, or one for each shard.
enum class TensorPart { model, optimizer, rng, extra };

/// "model"
[[nodiscard]] std::string_view name_of(TensorPart part);

struct TensorFileName {
  TensorPart part = TensorPart::model;
  int shard = 0;  ///< counts from 1; 0: the file holds the whole part

  bool operator==(const TensorFileName&) const = default;
};

/// "model.safetensors", or "shard-00001-model-00001-of-00001.safetensors" as torch.distributed.checkpoint
/// names a shard.
[[nodiscard]] std::string render_tensor_file_name(const TensorFileName& name);

/// nullopt for a name that render_tensor_file_name does not make.
[[nodiscard]] std::optional<TensorFileName> parse_tensor_file_name(std::string_view text);

}  // namespace ddp::cli
