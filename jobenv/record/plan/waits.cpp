#include "jobenv/record/plan/waits.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace ddp {
namespace {

struct Field {
  const char* name;
  std::chrono::milliseconds Waits::*value;
};

constexpr Field kFields[] = {
    {"pulse", &Waits::pulse},           {"lease", &Waits::lease},     {"comeback", &Waits::comeback},
    {"drain", &Waits::drain},           {"absence", &Waits::absence}, {"host_look", &Waits::host_look},
    {"job_search", &Waits::job_search}, {"live", &Waits::live},       {"idle", &Waits::idle},
    {"notify", &Waits::notify}};

constexpr std::int64_t kLongest = std::int64_t{86'400'000};  // a day

}  // namespace

nlohmann::json to_json(const Waits& waits) {
  auto json = nlohmann::json::object();
  for (const Field& field : kFields) {
    if (waits.*field.value != Waits{}.*field.value) json[field.name] = (waits.*field.value).count();
  }
  return json;
}

Expected<Waits> parse_waits(const nlohmann::json& json) {
  if (!json.is_object()) return fail(ExitCode::config_invalid, "it is not a JSON object");
  Waits waits;
  for (const auto& [name, value] : json.items()) {
    const auto* field =
        std::ranges::find_if(kFields, [&name = name](const Field& known) { return known.name == name; });
    if (field == std::end(kFields)) {
      return fail(ExitCode::config_invalid, "unknown wait '" + name + "'");
    }
    if (!value.is_number_integer() || value < 1 || value > kLongest) {
      return fail(ExitCode::config_invalid, "'" + name + "' is not a number of milliseconds above 0");
    }
    waits.*(field->value) = std::chrono::milliseconds(value.get<std::int64_t>());
  }
  return waits;
}

}  // namespace ddp
