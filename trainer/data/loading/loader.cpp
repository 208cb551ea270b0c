#include "trainer/data/loading/loader.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "trainer/data/empty_batch.hpp"

namespace ddp::trainer {
namespace {

/// Batches that wait for the training, for each worker: enough that one late worker does not stop it.
constexpr std::int64_t kAheadPerWorker = 2;

/// As `images.to(memory_format=...)` in Python.
torch::Tensor laid_out(const torch::Tensor& inputs, at::MemoryFormat images) {
  if (images == at::MemoryFormat::Contiguous || inputs.dim() != 4) return inputs;
  return inputs.to(inputs.options(), /*non_blocking=*/true, /*copy=*/false, images);
}

}  // namespace

Loader::Loader(const Dataset& dataset, const LoaderOptions& options) : dataset_(dataset), options_(options) {
  if (options.device.is_cuda())
    copies_ = c10::impl::VirtualGuardImpl(options.device.type()).getStreamFromGlobalPool(options.device);
  const auto* images = dynamic_cast<const RawImages*>(&dataset);
  if (images != nullptr && options.transform_images != nullptr)
    images_.emplace(dataset, *images, *options.transform_images, options.device);
}

void Loader::start(std::vector<std::int64_t> samples, std::uint64_t epoch, std::int64_t first) {
  prefetch_.reset();
  epoch_ = epoch;
  batches_ = {std::move(samples), options_.batch_size, options_.tail};
  next_ = first;
  const std::int64_t left = remaining();
  if (options_.workers == 0 || left <= 0) return;
  try {
    prefetch_.emplace(
        OrderedPrefetch<Loaded>::Plan{
            .first = first,
            .end = first + left,
            .threads = static_cast<int>(std::min(options_.workers, left)),
            .ahead = options_.workers * kAheadPerWorker,
        },
        [this](std::int64_t number) { return load(number); });
  } catch (const std::system_error& error) {
    throw std::runtime_error("train.data.workers: cannot start " + std::to_string(options_.workers) +
                             " threads: " + error.code().message() + "; choose fewer");
  }
}

Batch Loader::next() {
  const std::int64_t number = next_++;
  return take(prefetch_ ? prefetch_->next() : load(number));
}

Loader::Loaded Loader::load(std::int64_t number) const {
  const c10::OptionalStreamGuard guard(copies_);
  Loaded loaded{make_batch(batches_.batch(number)), std::nullopt};
  loaded.batch.inputs = laid_out(loaded.batch.inputs, options_.images);
  if (copies_) {
    loaded.copied.emplace(options_.device.type());
    loaded.copied->record(*copies_);
  }
  return loaded;
}

Batch Loader::make_batch(std::span<const std::int64_t> samples) const {
  if (images_) return images_->make(samples, epoch_);
  Batch batch =
      make_empty_batch(dataset_, std::ssize(samples), copies_ ? HostMemory::pinned : HostMemory::pageable);
  dataset_.write(samples, epoch_, batch);
  if (!copies_) return batch;
  constexpr bool kNonBlocking = true;
  return {batch.inputs.to(options_.device, kNonBlocking), batch.targets.to(options_.device, kNonBlocking)};
}

// The stream of the training waits for the copy; the host does not. The memory belongs to the stream of the
// copies, which may not use it again before the training has.
Batch Loader::take(Loaded loaded) const {
  if (loaded.copied) {
    const auto training = c10::impl::VirtualGuardImpl(options_.device.type()).getStream(options_.device);
    loaded.copied->block(training);
    loaded.batch.inputs.record_stream(training);
    loaded.batch.targets.record_stream(training);
  }
  return std::move(loaded.batch);
}

}  // namespace ddp::trainer
