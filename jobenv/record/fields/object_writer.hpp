#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/fields/field_form.hpp"

namespace ddp {

/// Writes the fields of one JSON object as a description names them: with the functions of ObjectReader, so
/// that one description serves reading and writing.
class ObjectWriter {
 public:
  /// nullptr: the object has no schema.
  explicit ObjectWriter(const char* schema = nullptr) {
    if (schema != nullptr) object["schema"] = schema;
  }

  /// Limits are checked only when a value is read.
  template <class T, class... Limits>
  void field(const char* name, const T& value, Limits...) {
    object[name] = json_of(value);
  }
  template <class Enum, std::size_t count>
  void field(const char* name, const Enum& value, const Enum (&)[count]) {
    object[name] = name_of(value);
  }
  template <class T, FieldForm<T> Form>
  void field(const char* name, const T& value, const Form& form) {
    object[name] = form.render(value);
  }
  template <class T, FieldForm<T> Form>
  void items(const char* name, const std::vector<T>& values, const Form& form) {
    auto& list = object[name] = nlohmann::json::array();
    for (const T& value : values) list.push_back(form.render(value));
  }
  template <class T, FieldForm<T> Form>
  void optional_field(const char* name, const T& value, const Form& form) {
    if (value != T{}) field(name, value, form);
  }
  void expect(bool, const char*, const std::string&) {}

  nlohmann::json object = nlohmann::json::object();

 private:
  template <class T>
  static nlohmann::json json_of(const T& value) {
    return value;
  }
  template <class Rep, class Period>
  static nlohmann::json json_of(const std::chrono::duration<Rep, Period>& value) {
    return value.count();
  }
  static nlohmann::json json_of(std::chrono::system_clock::time_point value);
  template <class T>
  static nlohmann::json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : nlohmann::json();
  }
};

}  // namespace ddp
