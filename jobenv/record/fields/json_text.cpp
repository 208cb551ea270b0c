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

/// Collects the keys of the outermost object. The parser's own callback looks at all values of an object
/// again behind each of them.
class OuterKeys final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit OuterKeys(std::vector<std::string>& keys) : keys_(keys) {}

  bool key(string_t& name) override {
    if (depth_ == 1) keys_.push_back(name);
    return true;
  }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  std::vector<std::string>& keys_;
  int depth_ = 0;
};

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  if (is_too_deep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

nlohmann::json parse_json(std::string_view text, std::vector<std::string>& keys) {
  auto value = parse_json(text);
  OuterKeys outer(keys);
  if (value.is_object()) nlohmann::json::sax_parse(text, &outer);
  return value;
}

}  // namespace ddp
