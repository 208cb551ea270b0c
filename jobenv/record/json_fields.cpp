#include "jobenv/record/json_fields.hpp"

#include <cstdint>
#include <utility>

#include "jobenv/record/timestamp.hpp"

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

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string subject, const std::string& schema)
    : object_(object), subject_(std::move(subject)) {
  if (!object_.is_object()) {
    problem_ = "it is not a JSON object";
    return;
  }
  std::string found;
  read("schema", found);
  expect(found == schema, "schema", "is '" + found + "', this program knows '" + schema + "'");
}

const nlohmann::json* JsonFields::find(const char* name) {
  if (!object_.is_object()) return nullptr;
  read_.insert(name);
  const auto field = object_.find(name);
  if (field != object_.end()) return &*field;
  refuse(name, "is missing");
  return nullptr;
}

void JsonFields::refuse(const char* name, const std::string& problem) {
  if (!problem_) problem_ = "field '" + std::string(name) + "' " + problem;
}

void JsonFields::expect(bool holds, const char* name, const std::string& problem) {
  if (!holds) refuse(name, problem);
}

void JsonFields::read(const char* name, std::string& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!is_text(*field)) return refuse(name, "is not a text");
  value = field->get<std::string>();
}

void JsonFields::read(const char* name, int& value, int least, int most) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (field->is_number_unsigned() ? field->get<std::uint64_t>() > std::uint64_t{INT64_MAX}
                                  : !field->is_number_integer()) {
    return refuse(name, "is not a whole number");
  }
  const auto number = field->get<std::int64_t>();
  if (number < least || number > most) {
    return refuse(name, "is " + std::to_string(number) + ", not from " + std::to_string(least) + " to " +
                            std::to_string(most));
  }
  value = static_cast<int>(number);
}

void JsonFields::read(const char* name, bool& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_boolean()) return refuse(name, "is not true or false");
  value = field->get<bool>();
}

void JsonFields::read(const char* name, std::uint64_t& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_number_integer() || *field < 0) return refuse(name, "is not a whole number from 0");
  value = field->get<std::uint64_t>();
}

void JsonFields::read(const char* name, double& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_number()) return refuse(name, "is not a number");
  value = field->get<double>();
}

void JsonFields::read(const char* name, std::chrono::seconds& value) {
  int seconds = 0;
  read(name, seconds, 0);
  value = std::chrono::seconds(seconds);
}

void JsonFields::read(const char* name, std::chrono::system_clock::time_point& value) {
  std::string text;
  read(name, text);
  const auto time = parse_time(text);
  if (!time) return refuse(name, "is no time: " + time.error().message);
  value = *time;
}

void JsonFields::read(const char* name, std::vector<std::string>& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_array() || !std::all_of(field->begin(), field->end(), is_text))
    return refuse(name, "is not a list of texts");
  value = field->get<std::vector<std::string>>();
}

void JsonFields::read(const char* name, std::vector<int>& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_array() || !std::all_of(field->begin(), field->end(), is_int))
    return refuse(name, "is not a list of whole numbers");
  value = field->get<std::vector<int>>();
}

void JsonFields::read(const char* name, std::map<std::string, std::string>& value) {
  const nlohmann::json* field = find(name);
  if (field == nullptr) return;
  if (!field->is_object() || !std::all_of(field->begin(), field->end(), is_text)) {
    return refuse(name, "is not an object of texts");
  }
  value = field->get<std::map<std::string, std::string>>();
}

const nlohmann::json& JsonFields::value_of(const char* name) {
  static const nlohmann::json kNull;
  const nlohmann::json* field = find(name);
  return field != nullptr ? *field : kNull;
}

std::optional<Error> JsonFields::problem(ExitCode code) {
  if (!problem_) {
    for (const auto& item : object_.items()) {
      if (!read_.contains(item.key())) refuse(item.key().c_str(), "is not known to this program");
    }
  }
  if (!problem_) return std::nullopt;
  return Error{code, subject_ + ": " + *problem_};
}

}  // namespace ddp
