#include "jobenv/record/fields/timestamp.hpp"

#include <charconv>

namespace ddp {
namespace {

using std::chrono::milliseconds;

void put(std::string& form, std::size_t at, std::size_t width, unsigned value) {
  for (std::size_t i = width; i-- > 0; value /= 10) form[at + i] = static_cast<char>('0' + value % 10);
}

int digits_at(std::string_view text, std::size_t at, std::size_t width) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + width, value);
  return value;
}

constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";

bool has_form(std::string_view text) {
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool matches = kForm[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kForm[i];
    if (!matches) return false;
  }
  return true;
}

}  // namespace

std::string render_time(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<milliseconds>(time - day));
  std::string text(kForm);
  put(text, 0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  put(text, 5, 2, static_cast<unsigned>(date.month()));
  put(text, 8, 2, static_cast<unsigned>(date.day()));
  put(text, 11, 2, static_cast<unsigned>(clock.hours().count()));
  put(text, 14, 2, static_cast<unsigned>(clock.minutes().count()));
  put(text, 17, 2, static_cast<unsigned>(clock.seconds().count()));
  put(text, 20, 3, static_cast<unsigned>(clock.subseconds().count()));
  return text;
}

Expected<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  const auto refuse = [&] {
    return fail(ExitCode::run_failed,
                "'" + std::string(text) + "' is not a time like 2026-11-21T05:20:17.123Z");
  };
  if (!has_form(text)) return refuse();
  const std::chrono::year_month_day date(std::chrono::year(digits_at(text, 0, 4)),
                                         std::chrono::month(static_cast<unsigned>(digits_at(text, 5, 2))),
                                         std::chrono::day(static_cast<unsigned>(digits_at(text, 8, 2))));
  const int hours = digits_at(text, 11, 2);
  const int minutes = digits_at(text, 14, 2);
  const int seconds = digits_at(text, 17, 2);
  // The nanoseconds of system_clock end in April 2262.
  const bool fits = date.year() >= std::chrono::year(1970) && date.year() <= std::chrono::year(2261);
  if (!date.ok() || !fits || hours > 23 || minutes > 59 || seconds > 59) return refuse();
  return std::chrono::sys_days(date) + std::chrono::hours(hours) + std::chrono::minutes(minutes) +
         std::chrono::seconds(seconds) + milliseconds(digits_at(text, 20, 3));
}

}  // namespace ddp
