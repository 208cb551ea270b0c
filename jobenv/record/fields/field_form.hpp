#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Converts a value to JSON and back. The message of an error completes "field 'X'": "is not a list of
/// hosts".
template <class Form, class T>
concept FieldForm = requires(const Form& form, const T& value, const nlohmann::json& found) {
  { form.render(value) } -> std::convertible_to<nlohmann::json>;
  { form.parse(found) } -> std::same_as<Expected<T>>;
};

/// The form of a record with a `to_json` and a parser of its own.
template <class T>
struct RecordForm {
  Expected<T> (*parser)(const nlohmann::json& found);
  std::string verdict = "is not valid";  ///< on the field when the parser refuses it

  [[nodiscard]] nlohmann::json render(const T& value) const { return to_json(value); }
  [[nodiscard]] Expected<T> parse(const nlohmann::json& found) const {
    return parser(found).map_error([this](const Error& error) {
      return Error{error.code, verdict + ": " + error.message};
    });
  }
};
template <class T>
RecordForm(Expected<T> (*)(const nlohmann::json&)) -> RecordForm<T>;
template <class T>
RecordForm(Expected<T> (*)(const nlohmann::json&), const char*) -> RecordForm<T>;

}  // namespace ddp
