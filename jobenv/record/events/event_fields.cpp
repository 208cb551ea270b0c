#include "jobenv/record/events/event_fields.hpp"

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

json value_of(const std::string& text) {
  return text;
}
json value_of(int number) {
  return number;
}
json value_of(std::uint64_t number) {
  return number;
}
json value_of(double number) {
  return number;
}
json value_of(bool flag) {
  return flag;
}
json value_of(RunState state) {
  return name_of(state);
}
json value_of(const std::vector<std::string>& texts) {
  return texts;
}
json value_of(system_clock::time_point time) {
  return render_time(time);
}
json value_of(const Cause& cause) {
  return to_json(cause);
}

template <class T>
json value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : json();
}

bool is_absent(const std::string& text) {
  return text.empty();
}
bool is_absent(bool flag) {
  return !flag;
}
bool is_absent(const std::vector<std::string>& texts) {
  return texts.empty();
}
template <class T>
bool is_absent(const std::optional<T>& value) {
  return !value;
}
template <class T>
bool is_absent(const T&) {
  return false;
}

void take(const json& found, std::string& text) {
  if (found.is_string()) text = found.get<std::string>();
}
template <class T>
void take_number(const json& found, T& number) {
  if (found.is_number_integer()) number = found.get<T>();
}
void take(const json& found, int& number) {
  take_number(found, number);
}
void take(const json& found, std::uint64_t& number) {
  take_number(found, number);
}
void take(const json& found, double& number) {
  if (found.is_number()) number = found.get<double>();
}
void take(const json& found, bool& flag) {
  if (found.is_boolean()) flag = found.get<bool>();
}
void take(const json& found, RunState& state) {
  if (found.is_string()) state = parse_run_state(found.get_ref<const std::string&>());
}
void take(const json& found, std::vector<std::string>& texts) {
  if (!found.is_array()) return;
  for (const json& item : found) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
}
void take(const json& found, std::optional<system_clock::time_point>& time) {
  if (!found.is_string()) return;
  if (const auto parsed = parse_time(found.get<std::string>())) time = *parsed;
}
void take(const json& found, std::optional<Cause>& cause) {
  if (found.is_object()) cause = parse_cause(found);
}
void take(const json& found, std::optional<double>& number) {
  if (found.is_number()) number = found.get<double>();
}
template <class T>
void take(const json& found, std::optional<T>& number) {
  if (found.is_number_integer()) number = found.get<T>();
}

}  // namespace

void EventWriter::visit(Key key, Value value, Absence absence) {
  std::visit(
      [&](const auto* field) {
        if (absence == Absence::written || !is_absent(*field)) fields[key.name] = value_of(*field);
      },
      value);
}

void EventReader::visit(Key key, Value value, Absence) {
  const auto found = fields_.find(key.name);
  if (found == fields_.end()) return;
  std::visit([&](auto* field) { take(*found, *field); }, value);
}

}  // namespace ddp
