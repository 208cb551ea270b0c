#include "jobenv/record/fields/object_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {
namespace {

/// The library compares a large unsigned number as a negative one.
bool is_int(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return std::in_range<int>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<int>(value.get<std::int64_t>());
}

/// argv, environments and paths end at a NUL: a text with one would be cut without a word.
bool is_text(const nlohmann::json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

constexpr std::uint64_t kLongestMilliseconds = std::uint64_t{30} * 365 * 24 * 3600 * 1000;

}  // namespace

std::string show_text(std::string_view text) {
  constexpr std::size_t kShown = 64;
  std::string shown;
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kShown ? shown + "…" : shown;
}

ObjectReader::ObjectReader(const nlohmann::json& object, std::string subject, const char* schema)
    : object_(object), subject_(std::move(subject)) {
  if (!object_.is_object()) {
    problem_ = "it is not a JSON object";
    return;
  }
  if (schema == nullptr) return;
  std::string found;
  field("schema", found);
  expect(found == schema, "schema", "is '" + show_text(found) + "', this program knows '" + schema + "'");
}

const nlohmann::json* ObjectReader::find(const char* name) {
  if (!object_.is_object()) return nullptr;
  read_.insert(name);
  const auto found = object_.find(name);
  if (found != object_.end()) return &*found;
  refuse(name, "is missing");
  return nullptr;
}

void ObjectReader::refuse(const std::string& name, const std::string& problem) {
  if (!problem_) problem_ = "field '" + name + "' " + problem;
}

void ObjectReader::expect(bool holds, const char* name, const std::string& problem) {
  if (!holds) refuse(name, problem);
}

void ObjectReader::field(const char* name, std::string& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!is_text(*found)) return refuse(name, "is not a text");
  value = found->get<std::string>();
}

void ObjectReader::field(const char* name, int& value, int least, int most) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (found->is_number_unsigned() ? found->get<std::uint64_t>() > std::uint64_t{INT64_MAX}
                                  : !found->is_number_integer()) {
    return refuse(name, "is not a whole number");
  }
  const auto number = found->get<std::int64_t>();
  if (number < least || number > most) {
    return refuse(name, "is " + std::to_string(number) + ", not from " + std::to_string(least) + " to " +
                            std::to_string(most));
  }
  value = static_cast<int>(number);
}

void ObjectReader::field(const char* name, bool& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_boolean()) return refuse(name, "is not true or false");
  value = found->get<bool>();
}

void ObjectReader::field(const char* name, std::uint64_t& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  const bool is_positive = found->is_number_integer() && found->get<std::int64_t>() >= 0;
  if (!found->is_number_unsigned() && !is_positive) return refuse(name, "is not a whole number from 0");
  value = found->get<std::uint64_t>();
}

void ObjectReader::field(const char* name, double& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_number()) return refuse(name, "is not a number");
  value = found->get<double>();
}

void ObjectReader::field(const char* name, std::chrono::seconds& value) {
  int seconds = 0;
  field(name, seconds, 0);
  value = std::chrono::seconds(seconds);
}

void ObjectReader::field(const char* name, std::chrono::milliseconds& value) {
  std::uint64_t milliseconds = 0;
  field(name, milliseconds);
  value = std::chrono::milliseconds(std::min(milliseconds, kLongestMilliseconds));
}

void ObjectReader::field(const char* name, std::chrono::system_clock::time_point& value) {
  std::string text;
  field(name, text);
  const auto time = parse_time(text);
  if (!time) return refuse(name, "is not a time: " + time.error().message);
  value = *time;
}

void ObjectReader::field(const char* name, std::vector<std::string>& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_text))
    return refuse(name, "is not a list of texts");
  value = found->get<std::vector<std::string>>();
}

void ObjectReader::field(const char* name, std::vector<int>& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_int))
    return refuse(name, "is not a list of whole numbers");
  value = found->get<std::vector<int>>();
}

void ObjectReader::field(const char* name, std::map<std::string, std::string>& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_object() || !std::all_of(found->begin(), found->end(), is_text)) {
    return refuse(name, "is not an object of texts");
  }
  value = found->get<std::map<std::string, std::string>>();
}

void ObjectReader::field(const char* name, std::map<std::string, std::uint64_t>& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  const auto is_count = [](const nlohmann::json& item) { return item.is_number_unsigned(); };
  if (!found->is_object() || !std::all_of(found->begin(), found->end(), is_count)) {
    return refuse(name, "is not an object of whole numbers from 0");
  }
  value = found->get<std::map<std::string, std::uint64_t>>();
}

void ObjectReader::field(const char* name, std::map<std::string, double>& value) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) return;
  const auto is_number = [](const nlohmann::json& item) { return item.is_number(); };
  if (!found->is_object() || !std::all_of(found->begin(), found->end(), is_number)) {
    return refuse(name, "is not an object of numbers");
  }
  value = found->get<std::map<std::string, double>>();
}

const nlohmann::json& ObjectReader::value_of(const char* name) {
  static const nlohmann::json kNull;
  const nlohmann::json* found = find(name);
  return found != nullptr ? *found : kNull;
}

std::optional<Error> ObjectReader::problem(ExitCode code) {
  if (!problem_) {
    for (const auto& item : object_.items()) {
      if (!read_.contains(item.key())) refuse(show_text(item.key()), "is not known to this program");
    }
  }
  if (!problem_) return std::nullopt;
  return Error{code, subject_ + ": " + *problem_};
}

}  // namespace ddp
