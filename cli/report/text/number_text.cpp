#include "cli/report/text/number_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

std::string without_zeros(std::string text) {
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string render_integer(std::int64_t value) {
  auto text = std::to_string(value);
  const std::size_t first_digit = value < 0 ? 1 : 0;
  for (auto place = text.size(); place > first_digit + 3;) text.insert(place -= 3, ",");
  return text;
}

std::string render_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "-";
  if (size == 0) return "0";
  if (size >= 1e15 || size < 1e-4) return fmt::format("{:.3g}", value);
  if (size >= 999.95) return render_integer(std::llround(value));
  const int digits = 3 - static_cast<int>(std::floor(std::log10(size)));
  return without_zeros(fmt::format("{:.{}f}", value, std::max(0, digits)));
}

double round_for_plot(double value) {
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

std::string render_zoned_time(std::optional<std::chrono::system_clock::time_point> time) {
  if (!time) return {};
  const std::time_t seconds = std::chrono::system_clock::to_time_t(*time);
  std::tm local{};
  localtime_r(&seconds, &local);
  return render_local_time(*time) + fmt::format(" {:%Z}", local);
}

std::string render_span(std::optional<milliseconds> time) {
  if (!time) return {};
  return *time < milliseconds(100) ? fmt::format("{} ms", time->count()) : render_elapsed(*time);
}

std::string render_milliseconds(std::optional<double> time) {
  if (!time) return {};
  if (*time < 1000) return render_number(*time) + " ms";
  return render_elapsed(milliseconds(std::llround(*time)));
}

}  // namespace ddp::cli
