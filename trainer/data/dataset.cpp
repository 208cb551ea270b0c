#include "ddp/trainer/dataset.hpp"

#include <ATen/ops/empty.h>

#include <stdexcept>
#include <string>

#include "trainer/data/empty_batch.hpp"

namespace ddp::trainer {

void require_sample(std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count) throw std::out_of_range("no such sample: " + std::to_string(index));
}

void Dataset::write(std::span<const std::int64_t> indices, std::uint64_t epoch, Batch& batch) const {
  if (indices.empty()) return;
  const std::int64_t count = size();
  const std::int64_t values = batch.inputs.numel() / std::ssize(indices);
  auto* input = batch.inputs.mutable_data_ptr<float>();
  auto* target = batch.targets.mutable_data_ptr<std::int64_t>();
  for (const std::int64_t index : indices) {
    require_sample(index, count);
    write_sample(index, epoch, input, target++);
    input += values;
  }
}

Batch Dataset::gather(std::span<const std::int64_t> indices, std::uint64_t epoch) const {
  Batch batch = make_empty_batch(*this, std::ssize(indices), HostMemory::pageable);
  write(indices, epoch, batch);
  return batch;
}

Batch make_empty_batch(const Dataset& dataset, std::int64_t count, HostMemory memory) {
  const auto options = torch::TensorOptions().pinned_memory(memory == HostMemory::pinned);
  std::vector<std::int64_t> sizes = dataset.sample_shape().dims;
  sizes.insert(sizes.begin(), count);
  return {at::empty(sizes, options.dtype(torch::kFloat32)), at::empty({count}, options.dtype(torch::kInt64))};
}

}  // namespace ddp::trainer
