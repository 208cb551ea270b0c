#include "trainer/optim/schedules/schedule_formulas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string_view>

// The closed forms of torch/optim/lr_scheduler.py.
namespace ddp::trainer {
namespace {

double constant(const Component&, const ScheduledStep& at) {
  return at.base_rate;
}

std::int64_t units_done(const Component& schedule, const ScheduledStep& at) {
  return schedule.get<std::string>("unit") == "epochs" ? at.epoch : at.step;
}

double decayed(const Component& schedule, const ScheduledStep& at, std::int64_t times) {
  return at.base_rate * std::pow(schedule.get<double>("gamma"), static_cast<double>(times));
}

double step(const Component& schedule, const ScheduledStep& at) {
  return decayed(schedule, at, units_done(schedule, at) / schedule.get<std::int64_t>("step_size"));
}

double multistep(const Component& schedule, const ScheduledStep& at) {
  const auto& milestones = schedule.get<std::vector<std::int64_t>>("milestones");
  const auto next = std::ranges::upper_bound(milestones, units_done(schedule, at));
  return decayed(schedule, at, next - milestones.begin());
}

double cosine(const Component& schedule, const ScheduledStep& at) {
  const double least = schedule.get<double>("min_learning_rate");
  const double way = static_cast<double>(at.since_warmup) / static_cast<double>(at.decay_steps);
  return least + (at.base_rate - least) * (1 + std::cos(std::numbers::pi * way)) / 2;
}

double linear(const Component& schedule, const ScheduledStep& at) {
  const double end = schedule.get<double>("end_factor");
  const double way = static_cast<double>(at.since_warmup) / static_cast<double>(at.decay_steps);
  return at.base_rate * (1 + (end - 1) * way);
}

struct FormulaRow {
  std::string_view name;
  ScheduleFormula formula;
};

constexpr std::array kFormulas = {
    FormulaRow{"constant", constant}, FormulaRow{"step", step},     FormulaRow{"multistep", multistep},
    FormulaRow{"cosine", cosine},     FormulaRow{"linear", linear},
};

}  // namespace

ScheduleFormula find_schedule_formula(const Component& schedule) {
  const auto* row = std::ranges::find(kFormulas, schedule.name, &FormulaRow::name);
  if (row == kFormulas.end()) throw std::logic_error("no schedule is named '" + schedule.name + "'");
  return row->formula;
}

}  // namespace ddp::trainer
