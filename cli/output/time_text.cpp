#include "cli/output/time_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace ddp::cli {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr days kOnlyDays{10};  // from then on hours do not matter

/// "2 h 5 min"; "2 h" where the rest is 0.
std::string render_two_units(std::int64_t count, std::string_view unit, std::int64_t rest,
                             std::string_view smaller_unit) {
  auto text = fmt::format("{} {}", count, unit);
  return rest == 0 ? text : text + fmt::format(" {} {}", rest, smaller_unit);
}

std::string render_from_hours(seconds time) {
  if (time < days(1)) return render_two_units(time / hours(1), "h", time / minutes(1) % 60, "min");
  return render_two_units(time / days(1), "d", time / hours(1) % 24, "h");
}

}  // namespace

std::string render_elapsed(std::chrono::milliseconds elapsed) {
  if (elapsed < minutes(1)) return fmt::format("{:.1f} s", static_cast<double>(elapsed.count()) / 1000.0);
  const auto whole = duration_cast<seconds>(elapsed);
  if (whole < hours(1)) return render_two_units(whole / minutes(1), "min", whole.count() % 60, "s");
  return render_from_hours(whole);
}

std::string render_short_time(std::chrono::milliseconds time) {
  if (time < hours(1) || time >= kOnlyDays) return render_age(time);
  return render_from_hours(duration_cast<seconds>(time));
}

std::string render_age(std::chrono::milliseconds age) {
  if (age < minutes(1)) return fmt::format("{} s", std::max<std::int64_t>(0, age / seconds(1)));
  if (age < hours(1)) return fmt::format("{} min", age / minutes(1));
  if (age < days(1)) return fmt::format("{} h", age / hours(1));
  return fmt::format("{} d", age / days(1));
}

std::string render_local_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

}  // namespace ddp::cli
