#include "trainer/loop/progress_bar.hpp"

#include <algorithm>
#include <cstdio>

namespace ddp::trainer {
namespace {

constexpr std::size_t kMaxBar = 40;

std::string render_clock(std::chrono::seconds time) {
  const long long seconds = time.count();
  char text[32];
  if (seconds >= 3600) {
    std::snprintf(text, sizeof(text), "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60, seconds % 60);
  } else {
    std::snprintf(text, sizeof(text), "%lld:%02lld", seconds / 60, seconds % 60);
  }
  return text;
}

}  // namespace

ProgressBar::ProgressBar(std::int64_t first_step, std::int64_t total_steps, Clock::time_point now)
    : first_step_(first_step), total_steps_(total_steps), began_(now) {}

std::chrono::seconds ProgressBar::remaining(std::int64_t step, Clock::time_point now) const {
  if (step <= first_step_ || step >= total_steps_) return {};
  const auto per_step = (now - began_) / (step - first_step_);
  return std::chrono::round<std::chrono::seconds>(per_step * (total_steps_ - step));
}

std::string ProgressBar::render(std::int64_t step, Clock::time_point now, std::size_t columns) const {
  const auto percent = std::min<std::int64_t>(100 * step / std::max<std::int64_t>(total_steps_, 1), 100);
  const std::string tail = " " + std::to_string(percent) + "%  step " + std::to_string(step) + "/" +
                           std::to_string(total_steps_) + "  " + render_clock(remaining(step, now)) + " left";
  if (columns <= tail.size() + 2) return tail.substr(1, columns);
  const std::size_t width = std::min(kMaxBar, columns - tail.size() - 2);
  const auto done = width * static_cast<std::size_t>(percent) / 100;
  return "[" + std::string(done, '#') + std::string(width - done, '.') + "]" + tail;
}

}  // namespace ddp::trainer
