#include "cli/report/text/escape.hpp"

#include <fmt/format.h>

#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

std::string spaces_for_tabs(std::string_view text) {
  std::string spaced;
  for (const char each : text) each == '\t' ? spaced.append(4, ' ') : spaced.append(1, each);
  return spaced;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char each : escape_control_characters(spaces_for_tabs(text))) {
    switch (each) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += each;
    }
  }
  return escaped;
}

std::string render_script_json(const nlohmann::json& value) {
  std::string escaped;
  for (const char each : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (each == '<' || each == '>' || each == '&')  // they stand in texts only
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(each));
    else
      escaped += each;
  }
  return escaped;
}

}  // namespace ddp::cli
