#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "trainer/checkpoint/format/checkpoint_state.hpp"
#include "trainer/checkpoint/format/file_sum.hpp"
#include "trainer/checkpoint/format/joined_tensors.hpp"

namespace ddp::cli {

/// What a tensor of a checkpoint is.
enum class TensorKind { parameter, buffer, optimizer, rng, extra };

/// "parameter"
[[nodiscard]] std::string_view name_of(TensorKind kind);

struct DescribedTensor {
  TensorKind kind = TensorKind::parameter;
  trainer::JoinedTensor tensor;
  std::vector<std::string> files;  ///< that have its pieces, in the same order
};

/// What can be said of a checkpoint without its data: by manifest.json, state.json and the headers.
struct CheckpointInfo {
  std::filesystem::path folder;
  std::optional<std::chrono::system_clock::time_point> written;
  trainer::CheckpointState state;
  trainer::FileSums files;
  int shards = 0;                        ///< of the model; 0: it is whole
  std::vector<DescribedTensor> tensors;  ///< by kind, then as the files have them
};

/// The number and size of the tensors of a kind.
struct TensorTotal {
  std::size_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;

  bool operator==(const TensorTotal&) const = default;
};

[[nodiscard]] TensorTotal total_of(const CheckpointInfo& info, TensorKind kind);

/// "float32": the name that PyTorch has for a type of a safetensors file.
[[nodiscard]] std::string torch_name(std::string_view dtype);

/// Reads no data. The error has ExitCode::no_valid_checkpoint.
///
/// A model file has the parameters first, then the buffers. Parameters are told by the state that the
/// optimizer holds for them, up to the last one that has some; where it holds none, as SGD without momentum,
/// the buffers of BatchNorm are told by their names.
[[nodiscard]] Expected<CheckpointInfo> load_checkpoint_info(const std::filesystem::path& folder);

[[nodiscard]] nlohmann::json to_json(const CheckpointInfo& info);

}  // namespace ddp::cli
