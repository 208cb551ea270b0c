#include "trainer/loop/state/resumption.hpp"

namespace ddp::trainer {
namespace {

std::string batch_of(const EpochShape& shape) {
  return std::to_string(shape.shards) + " x " + std::to_string(shape.batch_size);
}

std::int64_t samples_in_batch(const EpochShape& shape) {
  return shape.shards * shape.batch_size;
}

std::string describe_inexactness(const Sharing& sharing, Generators generators) {
  const auto& [before, now] = sharing;
  const bool same_generators = generators == Generators::restored;
  if (same_generators && before == now) return {};
  std::string text = "; not bit for bit, with " + batch_of(now) + " samples a batch after " +
                     batch_of(before) + ": sums of gradients";
  if (samples_in_batch(before) != samples_in_batch(now)) text += ", the size of a batch";
  if (!same_generators) text += ", random numbers of dropout";
  return text;
}

}  // namespace

std::string describe_resumption(const Resumption& resumption) {
  const bool trains = resumption.purpose == Purpose::training;
  std::string text = trains ? "resumed after step " : "evaluating the checkpoint after step ";
  text += std::to_string(resumption.step);
  if (resumption.path) text += " of '" + *resumption.path + "'";
  if (resumption.sharing) text += describe_inexactness(*resumption.sharing, resumption.generators);
  if (const auto& libtorch = resumption.libtorch; libtorch && libtorch->before != libtorch->now)
    text += "; LibTorch was " + libtorch->before + " and is " + libtorch->now + " now: bytes may differ";
  if (const auto& decay = resumption.decay; decay && decay->before != decay->now)
    text += "; the learning rate falls until step " + std::to_string(decay->now) + " now, not " +
            std::to_string(decay->before);
  return text;
}

}  // namespace ddp::trainer
