#include "jobenv/config/scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace ddp {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

tl::unexpected<std::string> unparsed(std::string hint = {}) {
  return tl::unexpected<std::string>(std::move(hint));
}

/// Digits without a sign, at most 15 of them: no product with a unit below overflows unseen.
std::optional<std::int64_t> parse_count(std::string_view text) {
  if (!all_digits(text) || text.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::uint64_t kKibi = 1024;
constexpr std::array kSizeUnits = {
    SizeUnit{"TiB", kKibi* kKibi* kKibi* kKibi},
    SizeUnit{"GiB", kKibi* kKibi* kKibi},
    SizeUnit{"MiB", kKibi* kKibi},
    SizeUnit{"KiB", kKibi},
    SizeUnit{"TB", 1'000'000'000'000},
    SizeUnit{"GB", 1'000'000'000},
    SizeUnit{"MB", 1'000'000},
    SizeUnit{"KB", 1'000},
    SizeUnit{"B", 1},
};

struct TimeUnit {
  char name;
  std::int64_t seconds;
};

constexpr std::array kTimeUnits = {TimeUnit{'d', 86'400}, TimeUnit{'h', 3'600}, TimeUnit{'m', 60},
                                   TimeUnit{'s', 1}};
constexpr std::int64_t kMaxSeconds = std::int64_t{100} * 366 * 86'400;

std::optional<std::int64_t> parse_units(std::string_view text) {
  std::int64_t total = 0;
  auto unit = kTimeUnits.begin();
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto count = parse_count(text.substr(0, digits));
    if (!count || *count > kMaxSeconds || digits == text.size()) return std::nullopt;
    unit = std::find_if(unit, kTimeUnits.end(), [&](const TimeUnit& u) { return u.name == text[digits]; });
    if (unit == kTimeUnits.end()) return std::nullopt;
    total += *count * unit->seconds;
    ++unit;
    text.remove_prefix(digits + 1);
  }
  return total;
}

std::optional<std::vector<std::int64_t>> parse_colon_list(std::string_view text) {
  std::vector<std::int64_t> parts;
  while (true) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto part = parse_count(text.substr(0, colon));
    if (!part || *part > kMaxSeconds) return std::nullopt;
    parts.push_back(*part);
    if (colon == text.size()) return parts;
    text.remove_prefix(colon + 1);
  }
}

/// Slurm's own forms. A bare number is not taken: minutes there, seconds elsewhere.
std::optional<std::int64_t> parse_slurm_time(std::string_view text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  const auto days = has_days ? parse_count(text.substr(0, dash)) : std::optional<std::int64_t>(0);
  const auto parts = parse_colon_list(has_days ? text.substr(dash + 1) : text);
  if (!days || *days > kMaxSeconds / 86'400 || !parts || parts->size() > 3) return std::nullopt;
  if (!has_days && parts->size() == 1) return std::nullopt;
  std::int64_t unit = has_days || parts->size() == 3 ? 3'600 : 60;
  std::int64_t total = *days * 86'400;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const bool is_leading = i == 0 && !has_days;
    if (!is_leading && (*parts)[i] >= (unit == 3'600 ? 24 : 60)) return std::nullopt;
    total += (*parts)[i] * unit;
    unit /= 60;
  }
  return total;
}

bool is_slurm_unit(std::string_view unit) {
  return unit.size() == 1 && std::string_view("kmgtKMGT").find(unit) != std::string_view::npos;
}

/// In a unit of the kind of `like`: powers of 1024, or of 1000.
std::string render_size_like(std::string_view like, std::uint64_t bytes) {
  const auto fits = [&](const SizeUnit& unit) {
    const bool is_alike = unit.bytes == 1 || unit.name.ends_with("iB") == like.ends_with("iB");
    return is_alike && bytes % unit.bytes == 0;
  };
  const auto unit = std::find_if(kSizeUnits.begin(), kSizeUnits.end(), fits);
  return std::to_string(bytes / unit->bytes) + std::string(unit->name);
}

/// Of `whole`, a point, and digits with a unit, such as "5TiB".
std::string advise_on_fraction(std::int64_t whole, std::string_view fraction) {
  const std::string general = "sizes are whole numbers: write 1536MiB instead of 1.5GiB";
  const std::size_t digits = std::min(fraction.find_first_not_of("0123456789"), fraction.size());
  std::string name(fraction.substr(digits));
  if (is_slurm_unit(name)) name = std::string(1, static_cast<char>(std::toupper(name.front()))) + "iB";
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == name; });
  const auto part = parse_count(fraction.substr(0, digits));
  if (unit == kSizeUnits.end() || !part || digits > 3 || whole > 1'000) return general;
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits; ++i) scale *= 10;
  const std::uint64_t parts =
      (static_cast<std::uint64_t>(whole) * scale + static_cast<std::uint64_t>(*part)) * unit->bytes;
  if (parts % scale != 0 || parts == 0) return general;
  return "sizes are whole numbers: write " + render_size_like(name, parts / scale);
}

/// Of a bare number where sbatch reads minutes, and many a script has seconds.
std::string advise_on_minutes(std::string_view text) {
  constexpr std::int64_t kMaxCount = 10'000'000;
  const auto count = parse_count(text);
  if (!count || *count > kMaxCount) return "for example 2h, 1h30m or 02:00:00";
  if (*count == 0)
    return "sbatch reads 0 as no limit; set a limit, such as 24h, or remove it for the default of the "
           "partition";
  const auto explain = [&](std::string_view unit, std::chrono::seconds time) {
    const auto plain = std::to_string(*count) + unit.front();
    const auto shown = render_duration(time);
    return "for " + std::to_string(*count) + " " + std::string(unit) + (*count == 1 ? "" : "s") + " write " +
           plain + (shown == plain ? "" : " (" + shown + ")");
  };
  return "add the unit: " + explain("minute", std::chrono::minutes(*count)) + ", as sbatch reads it; " +
         explain("second", std::chrono::seconds(*count));
}

}  // namespace

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with("0x") || digits.starts_with("0o") || digits.starts_with("0b"))
    return unparsed("numbers are decimal");
  if (digits.find('_') != std::string_view::npos) return unparsed("write the digits without '_'");
  if (!all_digits(digits)) return unparsed();
  if (digits.size() > 1 && digits.front() == '0')
    return unparsed("numbers are decimal, without leading zeros");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return unparsed("it does not fit into 64 bits");
  return value;
}

Parsed<double> parse_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.find('_') != std::string_view::npos) return unparsed("write the digits without '_'");
  if (digits.starts_with("0x")) return unparsed("numbers are decimal");
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    return unparsed("numbers are decimal, without leading zeros");
  }
  if (const auto comma = digits.find(',');
      comma != digits.npos && all_digits(digits.substr(0, comma)) && all_digits(digits.substr(comma + 1)))
    return unparsed("write a decimal point: " + std::string(text).replace(text.find(','), 1, "."));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return unparsed("it does not fit into a double");
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return unparsed();
  return value;
}

Parsed<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return unparsed();
}

Parsed<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = parse_count(text.substr(0, digits));
  const std::string_view unit = text.substr(digits);
  if (!count) return unparsed("for example 64GiB");
  if (unit.empty()) return unparsed("add the unit: " + std::string(text) + "GiB");
  const auto known =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == unit; });
  if (unit.starts_with('.') || unit.starts_with(','))
    return unparsed(advise_on_fraction(*count, unit.substr(1)));
  if (known == kSizeUnits.end() && is_slurm_unit(unit)) {
    const auto meant = std::to_string(*count) + static_cast<char>(std::toupper(unit.front())) + "iB";
    return unparsed("Slurm's " + std::string(text) + " is " + meant + ": write " + meant);
  }
  if (known == kSizeUnits.end()) return unparsed("units are B, KiB, MiB, GiB, TiB, KB, MB, GB, TB");
  const auto value = static_cast<std::uint64_t>(*count);
  if (value > std::numeric_limits<std::int64_t>::max() / known->bytes) return unparsed("it is too large");
  return value * known->bytes;
}

Parsed<std::chrono::seconds> parse_duration(std::string_view text, DurationForm form) {
  const bool slurm = form == DurationForm::units_or_slurm;
  if (all_digits(text))
    return unparsed(slurm ? advise_on_minutes(text)
                          : "add the unit: " + std::string(text) + "s or " + std::string(text) + "m");
  auto seconds = text.empty() ? std::nullopt : parse_units(text);
  if (!seconds && slurm) seconds = parse_slurm_time(text);
  if (!seconds) return unparsed(slurm ? "for example 2h, 1h30m or 02:00:00" : "for example 30s, 2m or 1h30m");
  return std::chrono::seconds(*seconds);
}

Parsed<std::string> parse_path(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dollar = text[i] == '$';
    if (is_dollar && !text.substr(i + 1).starts_with('$'))
      return unparsed("write the full path; for a dollar sign in a name write $$");
    if (is_dollar) ++i;
    path += text[i];
  }
  return path;
}

std::string render_number(double value) {
  const double size = std::abs(value);
  const bool has_few_digits = size == 0 || (size >= 1e-4 && size < 1e15);
  const auto form = has_few_digits ? std::chars_format::fixed : std::chars_format::general;
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, form);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string render_size(std::uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0)
      return std::to_string(bytes / unit.bytes) + std::string(unit.name);
  }
  return std::to_string(bytes) + "B";
}

std::string render_duration(std::chrono::seconds duration) {
  std::int64_t left = duration.count();
  std::string text;
  for (const TimeUnit& unit : kTimeUnits) {
    if (left >= unit.seconds) text += std::to_string(left / unit.seconds) + unit.name;
    left %= unit.seconds;
  }
  return text.empty() ? "0s" : text;
}

std::string render_path(std::string_view path) {
  std::string text;
  for (const char c : path) text.append(c == '$' ? 2 : 1, c);
  return text;
}

}  // namespace ddp
