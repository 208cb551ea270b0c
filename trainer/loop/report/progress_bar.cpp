#include "trainer/loop/report/progress_bar.hpp"

#include "ddp/jobenv/progress_line.hpp"

namespace ddp::trainer {

ProgressBar::ProgressBar(std::int64_t first_step, std::int64_t total_steps, Clock::time_point now)
    : first_step_(first_step), total_steps_(total_steps), began_(now) {}

std::chrono::seconds ProgressBar::remaining(std::int64_t step, Clock::time_point now) const {
  if (step <= first_step_ || step >= total_steps_) return {};
  const auto per_step = (now - began_) / (step - first_step_);
  return std::chrono::round<std::chrono::seconds>(per_step * (total_steps_ - step));
}

std::string ProgressBar::render(std::int64_t step, Clock::time_point now, std::size_t columns) const {
  return render_progress_line({.step = step, .total_steps = total_steps_, .remaining = remaining(step, now)},
                              columns);
}

}  // namespace ddp::trainer
