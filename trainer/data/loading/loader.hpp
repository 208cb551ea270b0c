#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "trainer/data/batch_indices.hpp"
#include "trainer/data/loading/image_batches.hpp"
#include "trainer/data/loading/ordered_prefetch.hpp"

namespace ddp::trainer {

struct LoaderOptions {
  std::int64_t batch_size = 1;
  Tail tail = Tail::keep;
  std::int64_t workers =
      0;  ///< threads that make batches in advance; 0: they are made when they are asked for
  at::Device device = at::kCPU;
  /// Makes inputs of images on the device; null: they are made on the CPU, and copied. Either way to the same
  /// bits.
  TransformImages* transform_images = nullptr;
  at::MemoryFormat images = at::MemoryFormat::Contiguous;  ///< of inputs of four dimensions
};

/// Gives the batches of one pass over a list of samples after the other, on the device. The bytes of a batch
/// do not depend on the number of workers. Used by one thread.
///
/// On CUDA the batches come from pinned memory over a stream of their own, so that the copy of one batch goes
/// on beside the computation of the one before. Images travel as bytes, where transform_images is there.
class Loader {
 public:
  /// `dataset` must outlive this object.
  Loader(const Dataset& dataset, const LoaderOptions& options);

  /// Begins a pass over `samples` at batch `first` of it; ends the one before, wherever that was. `epoch` is
  /// what random augmentation is drawn for.
  void start(std::vector<std::int64_t> samples, std::uint64_t epoch, std::int64_t first = 0);

  /// Batches that this pass has left.
  [[nodiscard]] std::int64_t remaining() const { return batches_.count() - next_; }

  /// The next batch; only while there are some. Throws what Dataset::write throws.
  [[nodiscard]] Batch next();

 private:
  struct Loaded {
    Batch batch;                       // on the device
    std::optional<c10::Event> copied;  // when it is there, on CUDA
  };

  [[nodiscard]] Loaded load(std::int64_t number) const;
  [[nodiscard]] Batch make_batch(std::span<const std::int64_t> samples) const;
  [[nodiscard]] Batch take(Loaded loaded) const;

  const Dataset& dataset_;
  LoaderOptions options_;
  std::optional<c10::Stream> copies_;   // of CUDA
  std::optional<ImageBatches> images_;  // where the device makes inputs of them
  std::uint64_t epoch_ = 0;
  BatchIndices batches_;
  std::int64_t next_ = 0;
  std::optional<OrderedPrefetch<Loaded>> prefetch_;  // last: its threads use all of the above
};

}  // namespace ddp::trainer
