#include "jobenv/record/fields/json_text.hpp"

namespace ddp {
namespace {

constexpr int kDeepest = 100;

/// Up to where the text stops being JSON, the brackets outside of strings are those that the parser sees.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (in_string && letter == '\\') ++at;
    if (letter == '"') in_string = !in_string;
    if (in_string) continue;
    if (letter == '[' || letter == '{') ++depth;
    if (letter == ']' || letter == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  if (is_too_deep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace ddp
