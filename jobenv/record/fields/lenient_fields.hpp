#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ddp {

// For files that another version or a crashed host may have written: a field that is missing or of another
// type has no value.

/// Empty: no text.
[[nodiscard]] std::string text_of(const nlohmann::json& fields, const char* key);

/// nullopt: no time.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> time_of(const nlohmann::json& fields,
                                                                           const char* key);

/// nullopt: no integer.
template <class T>
[[nodiscard]] std::optional<T> number_of(const nlohmann::json& fields, const char* key) {
  const auto found = fields.find(key);
  if (found == fields.end() || !found->is_number_integer()) return std::nullopt;
  return found->template get<T>();
}

}  // namespace ddp
