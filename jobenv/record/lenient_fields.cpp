#include "jobenv/record/lenient_fields.hpp"

#include "jobenv/record/timestamp.hpp"

namespace ddp {

using nlohmann::json;

std::string text_of(const json& fields, const char* key) {
  const auto found = fields.find(key);
  return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_of(const json& fields, const char* key) {
  std::vector<std::string> texts;
  const auto found = fields.find(key);
  if (found == fields.end() || !found->is_array()) return texts;
  for (const auto& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::optional<std::chrono::system_clock::time_point> time_of(const json& fields, const char* key) {
  const auto time = parse_time(text_of(fields, key));
  return time ? std::optional(*time) : std::nullopt;
}

}  // namespace ddp
