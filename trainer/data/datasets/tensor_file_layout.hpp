#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "trainer/config/train_config.hpp"
#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::trainer {

/// Where the samples of one split are in a safetensors file.
struct TensorFileLayout {
  TensorEntry inputs;   ///< U8 or F32, [samples, ...]
  TensorEntry targets;  ///< I64, I32 or U8, [samples]

  [[nodiscard]] bool bytes() const { return inputs.dtype == "U8"; }
  [[nodiscard]] std::int64_t samples() const { return targets.shape.front(); }
  [[nodiscard]] std::uint64_t sample_bytes() const {
    return (inputs.end - inputs.begin) / static_cast<std::uint64_t>(samples());
  }
  [[nodiscard]] std::vector<std::int64_t> sample_dims() const {
    return {inputs.shape.begin() + 1, inputs.shape.end()};
  }
};

/// Reads it from the header of the file. The error names the file, and what it lacks.
[[nodiscard]] tl::expected<TensorFileLayout, std::string> read_tensor_file_layout(
    const std::filesystem::path& path);

/// Which options of `tensor_file` do not fit samples of this layout; empty when they do.
[[nodiscard]] std::string tensor_file_conflict(const Component& source, const TensorFileLayout& layout);

}  // namespace ddp::trainer
