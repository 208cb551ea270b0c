#include "cli/rehearsal/configured_interval.hpp"

#include <fmt/format.h>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
std::int64_t count_steps(const trainer::TrainConfig& train, const JobPace& pace) {
  return train.max_steps ? *train.max_steps : *train.epochs * pace.steps_per_epoch;
}

ConfiguredInterval find_configured_interval(const trainer::TrainConfig& train, const JobPace& pace) {
  ConfiguredInterval found{.key = {}, .steps = static_cast<double>(count_steps(train, pace)), .time = {}};
  const auto offer = [&found](const char* key, const std::string& value, double steps) {
    if (steps >= found.steps) return;
    found.key = fmt::format("train.checkpoint.{}: {}", key, value);
    found.steps = steps;
  };
  const auto& checkpoint = train.checkpoint;
  if (checkpoint.every_steps)
    offer("every_steps", std::to_string(*checkpoint.every_steps),
          static_cast<double>(*checkpoint.every_steps));
  if (checkpoint.every_epochs)
    offer("every_epochs", std::to_string(*checkpoint.every_epochs),
          static_cast<double>(*checkpoint.every_epochs * pace.steps_per_epoch));
  if (checkpoint.every) offer("every", render_duration(*checkpoint.every), *checkpoint.every / pace.step);
  found.time = pace.step * found.steps;
  return found;
}

}  // namespace ddp::cli
