#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// Samples of one step, ready for the model.
struct Batch {
  torch::Tensor inputs;   ///< float32, [count, ...]
  torch::Tensor targets;  ///< int64, [count]
};

enum class Split { train, test };

/// Samples addressed by index. A program's own datasets derive from it. Const functions are called from
/// several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;

  /// What a sample looks like, and how many classes there are: all targets are below.
  [[nodiscard]] virtual SampleShape sample_shape() const = 0;

  /// Writes the samples at `indices` into `batch` (on the CPU, contiguous, of as many samples), in that
  /// order; an index may occur more than once. What is drawn at random for a sample depends on the run's
  /// seed, the epoch and the index alone. Throws std::out_of_range for an index outside [0, size()), and
  /// std::runtime_error when a sample cannot be read.
  void write(std::span<const std::int64_t> indices, std::uint64_t epoch, Batch& batch) const;

  /// The same as a new batch.
  [[nodiscard]] Batch gather(std::span<const std::int64_t> indices, std::uint64_t epoch) const;

 private:
  /// Writes sample `index`, 0 <= index < size(): as many values as sample_shape() says to `input`, its class
  /// to `target`.
  virtual void write_sample(std::int64_t index, std::uint64_t epoch, float* input,
                            std::int64_t* target) const = 0;
};

}  // namespace ddp::trainer
