#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "jobenv/record/fields/timestamp.hpp"

// What is absent is null.
namespace ddp::cli {

inline nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

template <class T>
nlohmann::json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

inline nlohmann::json time_or_null(const std::optional<std::chrono::system_clock::time_point>& time) {
  return time ? nlohmann::json(render_time(*time)) : nlohmann::json();
}

template <class Rep, class Period>
nlohmann::json seconds_or_null(const std::optional<std::chrono::duration<Rep, Period>>& time) {
  return time ? nlohmann::json(std::chrono::duration<double>(*time).count()) : nlohmann::json();
}

}  // namespace ddp::cli
