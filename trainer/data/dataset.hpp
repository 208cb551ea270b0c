#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Samples of one step, ready for the model, on the CPU.
struct Batch {
  torch::Tensor inputs;   ///< float32, [count, ...]
  torch::Tensor targets;  ///< int64, [count]
};

enum class Split { train, test };

/// Samples addressed by index, held in memory. Const functions may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;

  /// The samples at `indices[0 .. count)`, in that order; an index may occur more than once.
  /// Throws std::out_of_range for an index outside [0, size()).
  [[nodiscard]] virtual Batch gather(const std::int64_t* indices, std::int64_t count) const = 0;
};

/// The dataset that `source` names; the same on every rank for the same arguments. `seed` is the run's seed;
/// only made-up data depends on it, and torch's default generator is left alone. Throws std::runtime_error
/// when the data cannot be read.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const Component& source, Split split, std::uint64_t seed);

}  // namespace ddp::trainer
