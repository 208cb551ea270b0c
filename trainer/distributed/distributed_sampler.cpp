#include "ddp/trainer/distributed_sampler.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <numeric>

namespace ddp::trainer {
namespace {

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed) {
  const auto order = at::randperm(count, at::detail::createCPUGenerator(seed), at::kLong);
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + count};
}

std::vector<std::int64_t> natural_order(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

}  // namespace

std::int64_t DistributedSampler::num_samples() const {
  return drop_last ? dataset_size / num_replicas : (dataset_size + num_replicas - 1) / num_replicas;
}

std::vector<std::int64_t> DistributedSampler::indices(std::uint64_t epoch) const {
  const auto order = shuffle ? permutation(dataset_size, seed + epoch) : natural_order(dataset_size);
  std::vector<std::int64_t> mine(static_cast<std::size_t>(num_samples()));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t place = i * static_cast<std::size_t>(num_replicas) + static_cast<std::size_t>(rank);
    mine[i] = order[place % order.size()];
  }
  return mine;
}

}  // namespace ddp::trainer
