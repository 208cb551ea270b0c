#include "trainer/optim/parameter_owners.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace ddp::trainer {
namespace {

std::size_t bytes_to_update(const torch::Tensor& parameter) {
  return parameter.requires_grad() ? parameter.nbytes() : 0;
}

std::vector<std::size_t> largest_first(const NamedTensors& parameters) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return bytes_to_update(parameters[i].second); });
  return order;
}

}  // namespace

std::vector<int> assign_owners(const NamedTensors& parameters, int ranks) {
  std::vector<int> owners(parameters.size());
  std::vector<std::size_t> bytes(static_cast<std::size_t>(ranks));
  std::unordered_map<const c10::TensorImpl*, int> owner_of;
  for (const std::size_t i : largest_first(parameters)) {
    const torch::Tensor& parameter = parameters[i].second;
    const auto least = std::ranges::min_element(bytes);
    const auto [owner, is_new] =
        owner_of.try_emplace(parameter.unsafeGetTensorImpl(), static_cast<int>(least - bytes.begin()));
    if (is_new) *least += bytes_to_update(parameter);
    owners[i] = owner->second;
  }
  return owners;
}

}  // namespace ddp::trainer
