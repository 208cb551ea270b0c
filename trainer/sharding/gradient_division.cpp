#include "trainer/sharding/gradient_division.hpp"

namespace ddp::trainer {

GradientDivision gradient_division(int shards, int replicas, c10::ScalarType reduced,
                                   c10::DeviceType device) {
  const int ranks = shards * replicas;
  if (reduced == c10::ScalarType::Float || reduced == c10::ScalarType::BFloat16) {
    if (device != c10::DeviceType::CPU && ranks > 1) return {.reduction = Reduction::mean};
    return {.after_shards = static_cast<double>(shards), .after_replicas = static_cast<double>(replicas)};
  }
  int before = 1;
  while (ranks % before == 0 && ranks > before * before) before *= 2;
  return {.before = static_cast<double>(before), .after_replicas = static_cast<double>(ranks) / before};
}

}  // namespace ddp::trainer
