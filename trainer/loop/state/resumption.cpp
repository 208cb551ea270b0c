#include "trainer/loop/state/resumption.hpp"

namespace ddp::trainer {
namespace {

std::string batch_of(const EpochShape& shape) {
  return std::to_string(shape.shards) + " x " + std::to_string(shape.batch_size);
}

std::int64_t samples_in_batch(const EpochShape& shape) {
  return shape.shards * shape.batch_size;
}

std::string describe_inexactness(const Sharing& sharing, const Resumption& resumption) {
  const auto& [before, now] = sharing;
  const bool same_generators = resumption.generators == Generators::restored;
  if (same_generators && before == now) return {};
  std::string text = "; not bit-identical to an uninterrupted run (batch of " + batch_of(before) +
                     " samples before, " + batch_of(now) + " now): gradient sums";
  if (samples_in_batch(before) != samples_in_batch(now)) text += ", batch size";
  if (!same_generators && resumption.dropout == Dropout::maybe) text += ", dropout random numbers";
  return text + " differ";
}

}  // namespace

std::string describe_resumption(const Resumption& resumption) {
  const bool trains = resumption.purpose == Purpose::training;
  std::string text = trains ? "resumed from step " : "evaluating the checkpoint of step ";
  text += std::to_string(resumption.step);
  if (resumption.path) text += " of '" + *resumption.path + "'";
  if (resumption.sharing) text += describe_inexactness(*resumption.sharing, resumption);
  if (const auto& libtorch = resumption.libtorch; libtorch && libtorch->before != libtorch->now)
    text += "; results may not be bit-identical: LibTorch was " + libtorch->before + ", now it is " +
            libtorch->now;
  if (const auto& decay = resumption.decay; decay && decay->before != decay->now)
    text += "; the learning rate now decays until step " + std::to_string(decay->now) + " instead of " +
            std::to_string(decay->before);
  return text;
}

}  // namespace ddp::trainer
