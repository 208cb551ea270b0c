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

}  // namespace

std::string render_elapsed(std::chrono::milliseconds elapsed) {
  if (elapsed < minutes(1)) return fmt::format("{:.1f} s", static_cast<double>(elapsed.count()) / 1000.0);
  const auto whole = duration_cast<seconds>(elapsed);
  if (whole < hours(1)) return fmt::format("{} min {} s", whole / minutes(1), whole.count() % 60);
  if (whole < days(1)) return fmt::format("{} h {} min", whole / hours(1), whole / minutes(1) % 60);
  return fmt::format("{} d {} h", whole / days(1), whole / hours(1) % 24);
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
