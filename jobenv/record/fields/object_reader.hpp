#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/fields/field_form.hpp"

namespace ddp {

/// What somebody else has written, for a message: cut after 64 characters, '?' for what cannot be printed.
[[nodiscard]] std::string show_text(std::string_view text);

/// Reads a JSON object. A `describe` function names its fields; ObjectWriter uses the same function to write
/// them. A field that is missing, unknown, of another type or out of its range is an error that names it.
/// Only the first error is kept; values read after it mean nothing.
class ObjectReader {
 public:
  /// `subject` begins the error's message. The object's field "schema" must be `schema`; nullptr: it has
  /// none.
  ObjectReader(const nlohmann::json& object, std::string subject, const char* schema = nullptr);

  void field(const char* name, std::string& value);
  void field(const char* name, int& value, int least, int most = std::numeric_limits<int>::max());
  void field(const char* name, std::uint64_t& value);
  void field(const char* name, bool& value);
  void field(const char* name, double& value);
  void field(const char* name, std::chrono::seconds& value);
  /// What is longer than 30 years is taken for 30 years.
  void field(const char* name, std::chrono::milliseconds& value);
  void field(const char* name, std::chrono::system_clock::time_point& value);
  void field(const char* name, std::vector<std::string>& value);
  void field(const char* name, std::vector<int>& value);
  void field(const char* name, std::map<std::string, std::string>& value);
  void field(const char* name, std::map<std::string, std::uint64_t>& value);
  void field(const char* name, std::map<std::string, double>& value);

  /// A field that is null stands for no value.
  template <class T, class... Limits>
  void field(const char* name, std::optional<T>& value, Limits... limits) {
    value.reset();
    const nlohmann::json* found = find(name);
    if (found == nullptr || found->is_null()) return;
    field(name, value.emplace(), limits...);
  }

  /// One of `values`, by `name_of`.
  template <class Enum, std::size_t count>
  void field(const char* name, Enum& value, const Enum (&values)[count]) {
    std::string text;
    field(name, text);
    for (const Enum candidate : values) {
      if (name_of(candidate) == text) {
        value = candidate;
        return;
      }
    }
    refuse(name, "has the unknown value '" + show_text(text) + "'");
  }

  /// What `form` reads; the message of its error says what is wrong with the field.
  template <class T, FieldForm<T> Form>
  void field(const char* name, T& value, const Form& form) {
    auto parsed = form.parse(value_of(name));
    if (!parsed) return refuse(name, parsed.error().message);
    value = std::move(*parsed);
  }

  /// A list of what `form` reads. What is wrong with an item is told of "field 'NAME[2]'".
  template <class T, FieldForm<T> Form>
  void items(const char* name, std::vector<T>& values, const Form& form) {
    const nlohmann::json& list = value_of(name);
    if (!list.is_array()) return refuse(name, "is not a list");
    values.clear();
    for (std::size_t index = 0; index < list.size(); ++index) {
      auto item = form.parse(list[index]);
      if (!item) return refuse(std::string(name) + "[" + std::to_string(index) + "]", item.error().message);
      values.push_back(std::move(*item));
    }
  }

  /// A field that is not written while it is T{}: without it, `value` stays as it is.
  template <class T, FieldForm<T> Form>
  void optional_field(const char* name, T& value, const Form& form) {
    if (object_.contains(name)) field(name, value, form);
  }

  /// Notes a problem with a field unless `holds`.
  void expect(bool holds, const char* name, const std::string& problem);

  /// The first problem, if there is one, or a field that was never read.
  [[nodiscard]] std::optional<Error> problem(ExitCode code);

 private:
  const nlohmann::json* find(const char* name);
  /// Whatever is there, or null. Not a copy, which would take the stack once more for each level of a value
  /// that is nested deep.
  const nlohmann::json& value_of(const char* name);
  void refuse(const std::string& name, const std::string& problem);

  const nlohmann::json& object_;
  std::string subject_;
  std::set<std::string, std::less<>> read_;
  std::optional<std::string> problem_;
};

}  // namespace ddp
