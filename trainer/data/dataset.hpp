#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Samples of one step, ready for the model.
struct Batch {
  torch::Tensor inputs;   ///< float32, [count, ...]
  torch::Tensor targets;  ///< int64, [count]
};

enum class Split { train, test };

/// Samples addressed by index. Const functions may be called from several threads at once.
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
  virtual void write_sample(std::int64_t index, std::uint64_t epoch, float* input,
                            std::int64_t* target) const = 0;
};

/// Memory for `count` samples of `dataset`, on the CPU; pinned: such as CUDA copies from in the background.
enum class HostMemory { pageable, pinned };
[[nodiscard]] Batch make_empty_batch(const Dataset& dataset, std::int64_t count, HostMemory memory);

/// The dataset that `source` names; the same on every rank for the same arguments. `seed` is the run's seed;
/// only made-up data and what is drawn at random for a sample depend on it, and torch's default generator is
/// left alone. Throws std::runtime_error when the data cannot be read.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const Component& source, Split split, std::uint64_t seed);

}  // namespace ddp::trainer
