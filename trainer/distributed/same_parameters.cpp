#include "trainer/distributed/same_parameters.hpp"

#include <cstdio>

#include "jobenv/record/files/crc32c.hpp"
#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

// Eight digits, a space, and the name.
constexpr std::size_t kNameAt = 9;

std::string sum_and_name(const std::string& name, const torch::Tensor& parameter) {
  const torch::Tensor bytes = parameter.detach().to(torch::kCPU).contiguous();
  char sum[kNameAt + 1];
  std::snprintf(sum, sizeof sum, "%08x ",
                crc32c({static_cast<const std::byte*>(bytes.const_data_ptr()), bytes.nbytes()}));
  return sum + name;
}

}  // namespace

void require_same_parameters(const NamedTensors& parameters, std::int64_t step, ProcessGroup& group,
                             const std::function<int(int)>& rank_name) {
  std::vector<std::string> items;
  for (const auto& [name, parameter] : parameters) items.push_back(sum_and_name(name, parameter));
  auto found = compare_with_rank_0(items, group);
  if (!found) return;
  for (int& rank : found->ranks) rank = rank_name(rank);
  throw ParametersDiverged(
      "after step " + std::to_string(step) + " the parameters of " + found->render_ranks() +
      " differ from those of rank " + std::to_string(rank_name(0)) + "; the first that differs" +
      (found->ranks.size() == 1 ? "" : " on rank " + std::to_string(found->ranks.front())) + " is '" +
      found->item.substr(kNameAt) + "'");
}

}  // namespace ddp::trainer
