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

namespace ddp {

/// Reads the fields of one JSON object strictly. A field that is missing, of another type or out of its
/// range, and in the end one that nobody asked for, is a problem that names it; the first problem is kept,
/// values read after it mean nothing.
class JsonFields {
 public:
  /// `subject` begins the error's message. The object's field "schema" must be `schema`.
  JsonFields(const nlohmann::json& object, std::string subject, const std::string& schema);

  /// For fields that older records lack.
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  void read(const char* name, std::string& value);
  void read(const char* name, int& value, int least, int most = std::numeric_limits<int>::max());
  void read(const char* name, std::uint64_t& value);
  void read(const char* name, bool& value);
  void read(const char* name, double& value);
  void read(const char* name, std::chrono::seconds& value);
  void read(const char* name, std::chrono::system_clock::time_point& value);
  void read(const char* name, std::vector<std::string>& value);
  void read(const char* name, std::vector<int>& value);
  void read(const char* name, std::map<std::string, std::string>& value);
  /// Whatever is there, for the caller to check, or null. Not a copy, which would take the stack once more
  /// for each level of a value that is nested deep. Lives as long as the object.
  [[nodiscard]] const nlohmann::json& value_of(const char* name);

  /// A field that is null stands for no value.
  template <class T, class... Limits>
  void read(const char* name, std::optional<T>& value, Limits... limits) {
    const nlohmann::json* field = find(name);
    if (field == nullptr || field->is_null()) return;
    T inner{};
    read(name, inner, limits...);
    value = inner;
  }

  /// One of `values`, by `name_of`.
  template <class Enum, std::size_t count>
  void read(const char* name, Enum& value, const Enum (&values)[count]) {
    std::string text;
    read(name, text);
    for (const Enum candidate : values) {
      if (name_of(candidate) == text) {
        value = candidate;
        return;
      }
    }
    refuse(name, "has the unknown value '" + text + "'");
  }

  /// A list of what `parse` understands: it gives nothing for another item, of which "field 'NAME[2]'
  /// PROBLEM" is told.
  template <class Parse, class Item>
  void read_items(const char* name, Parse parse, std::vector<Item>& items, const std::string& problem) {
    const nlohmann::json& list = value_of(name);
    if (!list.is_array()) return refuse(name, "is not a list");
    for (std::size_t index = 0; index < list.size(); ++index) {
      auto item = parse(list[index]);
      if (!item) return refuse((std::string(name) + "[" + std::to_string(index) + "]").c_str(), problem);
      items.push_back(std::move(*item));
    }
  }

  /// Notes a problem with a field unless `holds`.
  void expect(bool holds, const char* name, const std::string& problem);

  /// The first problem, if there is one, or a field that was never read.
  [[nodiscard]] std::optional<Error> problem(ExitCode code);

 private:
  const nlohmann::json* find(const char* name);
  void refuse(const char* name, const std::string& problem);

  const nlohmann::json& object_;
  std::string subject_;
  std::set<std::string, std::less<>> read_;
  std::optional<std::string> problem_;
};

}  // namespace ddp
