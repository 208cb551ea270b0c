#include "ddp/jobenv/progress_line.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <vector>

namespace ddp {
namespace {

constexpr std::size_t kWidestBar = 40;
constexpr std::size_t kNarrowestBar = 5;
constexpr std::size_t kAroundBar = 3;  // "[" and "] "

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

std::string render_loss(double loss) {
  char text[330];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof(text), "loss %.4f", loss);
  return text;
}

std::size_t percent_of(const ProgressLine& line) {
  if (line.step <= 0 || line.total_steps <= 0) return 0;
  if (line.step >= line.total_steps) return 100;
  return static_cast<std::size_t>(100.0 * static_cast<double>(line.step) /
                                  static_cast<double>(line.total_steps));
}

bool ends_too_early(const ProgressLine& line) {
  return line.remaining && line.to_limit && *line.to_limit < *line.remaining;
}

std::string render_limit(const ProgressLine& line) {
  return "limit in " + render_clock(*line.to_limit);
}

/// In the order of their weight.
std::vector<std::string> render_details(const ProgressLine& line) {
  std::vector<std::string> details;
  if (line.epoch) details.push_back("epoch " + std::to_string(*line.epoch));
  if (line.loss) details.push_back(render_loss(*line.loss));
  if (line.samples_per_second) {
    const auto rate = static_cast<std::int64_t>(*line.samples_per_second);
    details.push_back(with_thousands(rate) + " samples/s");
  }
  if (line.to_limit && !ends_too_early(line)) details.push_back(render_limit(line));
  return details;
}

}  // namespace

std::string render_progress_line(const ProgressLine& line, std::size_t columns) {
  const auto percent = percent_of(line);
  std::string text = std::to_string(percent) + "%  step " + std::to_string(line.step) + "/" +
                     std::to_string(line.total_steps);
  if (line.remaining) text += "  " + render_clock(*line.remaining) + " left";
  if (ends_too_early(line)) text += ", " + render_limit(line);
  if (text.size() > columns) return text.substr(0, columns);
  for (const auto& detail : render_details(line)) {
    if (text.size() + 2 + detail.size() + kAroundBar + kNarrowestBar > columns) break;
    text += "  " + detail;
  }
  if (columns < text.size() + kAroundBar + kNarrowestBar) return text;
  const std::size_t width = std::min(kWidestBar, columns - text.size() - kAroundBar);
  const std::size_t done = width * percent / 100;
  return "[" + std::string(done, '#') + std::string(width - done, '.') + "] " + text;
}

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

}  // namespace ddp
