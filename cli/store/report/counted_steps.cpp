#include "cli/store/report/counted_steps.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;
using Step = std::optional<std::int64_t>;

const AttemptTraining* find_training(const AttemptStatus& attempt, const TrainingHistory& history) {
  const auto found = history.find(attempt.number);
  return found == history.end() ? nullptr : &found->second;
}

/// What the attempt after it took over. Head may have named a checkpoint that the ranks could not read.
Step step_kept_of(const AttemptStatus& attempt, const AttemptTraining* next) {
  if (next && next->first_step) return next->first_step->step - 1;
  if (!attempt.last_step || !attempt.lost_steps) return std::nullopt;
  return static_cast<std::int64_t>(*attempt.last_step - std::min(*attempt.lost_steps, *attempt.last_step));
}

Step lower(Step a, Step b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

std::int64_t start_of(const AttemptStatus& attempt, const AttemptTraining* training) {
  if (training && training->first_step) return training->first_step->step - 1;
  return static_cast<std::int64_t>(attempt.resumed_from.value_or(0));
}

/// Its last step, of which no record tells: it came no later than the end.
void add_end(const AttemptStatus& attempt, std::vector<TimedStep>& steps) {
  const auto end = attempt.cause && attempt.cause->since ? attempt.cause->since : attempt.ended;
  const auto last_step = static_cast<std::int64_t>(attempt.last_step.value_or(0));
  const TimedStep last = steps.back();
  if (!end || last_step <= last.step) return;
  steps.push_back({last_step, last.trained + std::max(Seconds(0), Seconds(*end - last.time)), *end});
}

Seconds interpolate(const TimedStep& before, const TimedStep& after, std::int64_t step) {
  const auto part = static_cast<double>(step - before.step) / static_cast<double>(after.step - before.step);
  return std::max(Seconds(0), before.trained + part * (after.trained - before.trained));
}

/// `steps` is not empty, and `step` is behind `start`.
Seconds time_until(std::int64_t step, std::int64_t start, const std::vector<TimedStep>& steps) {
  const auto after = std::ranges::upper_bound(steps, step, {}, &TimedStep::step);
  if (after == steps.end()) return steps.back().trained;
  return interpolate(after == steps.begin() ? TimedStep{start, Seconds(0)} : *std::prev(after), *after, step);
}

std::optional<Seconds> time_of(const AttemptStatus& attempt, const AttemptTraining* training, Step limit) {
  const auto start = start_of(attempt, training);
  if (limit && *limit <= start) return Seconds(0);
  if (!training) {
    const bool stepped = static_cast<std::int64_t>(attempt.last_step.value_or(0)) > start;
    return stepped ? std::nullopt : std::optional(Seconds(0));
  }
  if (!limit) return training->steps.back().trained;
  auto steps = training->steps;
  add_end(attempt, steps);
  return time_until(*limit, start, steps);
}

}  // namespace

std::optional<Seconds> time_of_counted_steps(std::span<const AttemptStatus> attempts,
                                             const TrainingHistory& history, Step kept) {
  Seconds total(0);
  bool trained = false;
  const AttemptTraining* next = nullptr;
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    if (attempt != attempts.rbegin()) kept = lower(kept, step_kept_of(*attempt, next));
    next = find_training(*attempt, history);
    trained = trained || next;
    const auto spent = time_of(*attempt, next, kept);
    if (!spent) return std::nullopt;
    total += *spent;
  }
  return trained ? std::optional(total) : std::nullopt;
}

}  // namespace ddp::cli
