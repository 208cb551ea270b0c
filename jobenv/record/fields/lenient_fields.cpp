#include "jobenv/record/fields/lenient_fields.hpp"

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {

using nlohmann::json;

std::string text_of(const json& fields, const char* key) {
  const auto found = fields.find(key);
  return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::chrono::system_clock::time_point> time_of(const json& fields, const char* key) {
  const auto time = parse_time(text_of(fields, key));
  return time ? std::optional(*time) : std::nullopt;
}

}  // namespace ddp
