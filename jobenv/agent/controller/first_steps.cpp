#include "jobenv/agent/controller/first_steps.hpp"

#include <utility>

namespace ddp::agent {

std::optional<Failure> FirstSteps::take(int rank, const std::string& host, std::uint64_t step) {
  Told told{rank, host, step};
  if (!first_) first_ = told;
  if (first_->step == step) return std::nullopt;
  Told other = *first_;
  if (rank < other.rank) std::swap(told, other);
  const auto name = [](const Told& one) { return "rank " + std::to_string(one.rank) + " on " + one.host; };
  return Failure{.what = "the ranks began at different steps: " + name(other) + " at step " +
                         std::to_string(other.step) + ", " + name(told) + " at step " +
                         std::to_string(told.step) +
                         ". Load the checkpoint on rank 0, and broadcast the model, the optimizer and the "
                         "step to the other ranks",
                 .host = {},
                 .rank = std::nullopt,
                 .recurrence = Recurrence::certain};
}

}  // namespace ddp::agent
