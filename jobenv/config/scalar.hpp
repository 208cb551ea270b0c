#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "jobenv/config/fields.hpp"

namespace ddp {

/// A value, or what to do about a text that is none.
template <class T>
using Parsed = tl::expected<T, std::string>;

/// Decimal, an optional '-', no leading zeros.
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text);
/// Decimal, with an optional exponent; finite.
[[nodiscard]] Parsed<double> parse_number(std::string_view text);
/// true or false.
[[nodiscard]] Parsed<bool> parse_flag(std::string_view text);
/// An integer and a unit: B, KB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024). In bytes.
[[nodiscard]] Parsed<std::uint64_t> parse_size(std::string_view text);
/// `90s`, `2m`, `1h30m`, `2d`: units d, h, m, s, each at most once, in this order.
/// DurationForm::units_or_slurm takes Slurm's `MM:SS`, `HH:MM:SS`, `D-HH`, `D-HH:MM` and `D-HH:MM:SS` too.
[[nodiscard]] Parsed<std::chrono::seconds> parse_duration(std::string_view text, DurationForm form);
/// A path with `$$` for each dollar sign; a single one would be a variable, which nothing expands.
[[nodiscard]] Parsed<std::string> parse_path(std::string_view text);

/// A text with no more digits than it needs to parse to the same value: "0.0001", "100000", "1e-05".
[[nodiscard]] std::string render_number(double value);
[[nodiscard]] std::string render_size(std::uint64_t bytes);
[[nodiscard]] std::string render_duration(std::chrono::seconds duration);
[[nodiscard]] std::string render_path(std::string_view path);

}  // namespace ddp
