#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ddp::cli {

/// The value of an expression of bash with whole numbers, + - * / % and brackets. `value_of` tells that of a
/// variable. nullopt: it has other signs, a variable has no number, or it divides by zero. Pure.
[[nodiscard]] std::optional<std::int64_t> evaluate_arithmetic(
    std::string_view expression,
    const std::function<std::optional<std::int64_t>(const std::string&)>& value_of);

}  // namespace ddp::cli
