#include "trainer/sharding/sharded_parameter.hpp"

#include <ATen/ATen.h>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/sharding/row_range.hpp"

namespace ddp::trainer {
namespace {

void require_rows(const std::string& name, const torch::Tensor& parameter) {
  const char* const fault = parameter.dim() == 0 ? "' has no dimensions; make it a tensor of shape [1]"
                            : parameter.scalar_type() != at::kFloat ? "' is not of type float32"
                            : !parameter.is_contiguous()            ? "' is not contiguous in memory"
                                                                    : nullptr;
  if (fault != nullptr)
    throw InvalidConfiguration("the parameter '" + name + fault + ", or use train.strategy: ddp");
}

void point_storage(const torch::Tensor& tensor, void* memory, std::size_t bytes) {
  auto* const storage = tensor.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(at::DataPtr(memory, tensor.device()));
  storage->set_nbytes(bytes);
}

}  // namespace

ShardedParameter::ShardedParameter(const std::string& name, const torch::Tensor& whole,
                                   const ProcessGroup& shards, at::ScalarType gathered_type)
    : parameter(whole) {
  require_rows(name, whole);
  const at::NoGradGuard no_grad;
  const std::int64_t row_elements = whole.size(0) > 0 ? whole.numel() / whole.size(0) : 0;
  const RowRange own = rows_of_rank(whole.size(0), shards.size(), shards.rank());
  padded = at::zeros({rows_per_rank(whole.size(0), shards.size()) * row_elements},
                     whole.options().requires_grad(false));
  auto sizes = whole.sizes().vec();
  sizes.front() = own.count;
  const torch::Tensor place = padded.narrow(0, 0, own.count * row_elements).view(sizes);
  place.copy_(whole.narrow(0, own.first, own.count));
  rows = place.detach().requires_grad_(whole.requires_grad());
  gathered = at::empty({padded.numel() * shards.size()}, padded.options().dtype(gathered_type));
  // A view looks at the size of the storage, so it is taken before that is emptied.
  parameter.set_data(gathered.as_strided(whole.sizes(), whole.strides()));
  detach();
}

void ShardedParameter::attach(void* memory) {
  point_storage(gathered, memory, gathered.nbytes());
}

void ShardedParameter::detach() {
  point_storage(gathered, nullptr, 0);
}

bool ShardedParameter::is_replaced() const {
  return parameter.storage().unsafeGetStorageImpl() != gathered.storage().unsafeGetStorageImpl();
}

}  // namespace ddp::trainer
