#include "trainer/loop/resumption.hpp"

namespace ddp::trainer {
namespace {

std::string batch_of(const EpochShape& shape) {
  return std::to_string(shape.shards) + " x " + std::to_string(shape.batch_size);
}

std::int64_t samples_in_batch(const EpochShape& shape) {
  return shape.shards * shape.batch_size;
}

}  // namespace

std::string describe_resumption(const Resumption& resumption) {
  const bool trains = resumption.purpose == Purpose::training;
  std::string text = trains ? "resumed after step " : "evaluating the checkpoint after step ";
  text += std::to_string(resumption.step);
  if (resumption.path) text += " of '" + *resumption.path + "'";
  if (!resumption.sharing) return text;
  const auto& [before, now] = *resumption.sharing;
  const bool same_generators = resumption.generators == Generators::restored;
  if (same_generators && before == now) return text;
  text += "; not bit for bit, with " + batch_of(now) + " samples a batch after " + batch_of(before) +
          ": sums of gradients";
  if (samples_in_batch(before) != samples_in_batch(now)) text += ", the size of a batch";
  if (resumption.decay == Decay::until_last_epoch && before.batches() != now.batches())
    text += ", the learning rates";
  if (!same_generators) text += ", random numbers of dropout";
  return text;
}

}  // namespace ddp::trainer
