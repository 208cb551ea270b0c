#include "jobenv/record/log_order.hpp"

#include <charconv>

namespace ddp {
namespace {

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_blank(std::string_view& text) {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string render_log_point(std::chrono::system_clock::time_point time, const LogSizes& sizes) {
  const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  return std::to_string(since_epoch.count()) + ' ' + std::to_string(sizes.out) + ' ' +
         std::to_string(sizes.err) + '\n';
}

std::optional<LogSizes> parse_log_point(std::string_view line) {
  if (!take_number(line) || !take_blank(line)) return std::nullopt;
  const auto out = take_number(line);
  if (!out || !take_blank(line)) return std::nullopt;
  const auto err = take_number(line);
  return err && line.empty() ? std::optional(LogSizes{*out, *err}) : std::nullopt;
}

}  // namespace ddp
