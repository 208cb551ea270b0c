#include "trainer/sharding/gradient_division.hpp"

namespace ddp::trainer {

GradientDivision gradient_division(int shards, int replicas, c10::ScalarType reduced) {
  if (reduced == c10::ScalarType::Float || reduced == c10::ScalarType::BFloat16)
    return {.after_shards = static_cast<double>(shards), .after_replicas = static_cast<double>(replicas)};
  const int ranks = shards * replicas;
  int before = 1;
  while (ranks % before == 0 && ranks > before * before) before *= 2;
  return {.before = static_cast<double>(before), .after_replicas = static_cast<double>(ranks) / before};
}

}  // namespace ddp::trainer
