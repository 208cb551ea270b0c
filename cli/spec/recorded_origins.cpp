#include "cli/spec/recorded_origins.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::string_view kCommandLine = "command line";

/// What stands behind the '#' of a line that render_spec has written; empty: there is none.
std::string_view comment_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && line.substr(i).starts_with(" # "))
      return line.substr(i + 3);
  }
  return {};
}

/// "run.yaml:4": the line of a file.
std::optional<Place> parse_line_of_file(std::string_view origin) {
  const auto colon = origin.rfind(':');
  if (colon == origin.npos || colon == 0) return std::nullopt;
  Place place;
  const auto* const end = origin.data() + origin.size();
  const auto parsed = std::from_chars(origin.data() + colon + 1, end, place.line);
  if (parsed.ec != std::errc{} || parsed.ptr != end || place.line < 1) return std::nullopt;
  place.source = std::make_shared<SourceText>(
      SourceText{std::string(origin.substr(0, colon)), {}, {}, {}, Origin::config_file});
  return place;
}

/// Version 0.1.0 wrote the file of the run, which `place` is in, as the origin of all its values when it
/// started the run again. The folder around that of the run may have been moved since.
bool names_its_own_file(std::string_view comment, const Place& place) {
  using std::filesystem::path;
  const path named(comment.substr(0, comment.rfind(':')));
  const path own(place.source->name);
  return named.is_absolute() && named.filename() == own.filename() &&
         named.parent_path().filename() == own.parent_path().filename();
}

/// Of a comment that says no default. What is in no file has no line.
Place parse_origin(std::string_view comment) {
  if (auto place = parse_line_of_file(comment)) return *place;
  const auto origin = comment == kCommandLine ? Origin::command_line : Origin::environment;
  Place place;
  place.source = std::make_shared<SourceText>(SourceText{std::string(comment), {}, {}, {}, origin});
  return place;
}

std::string_view line_of(const Place& place) {
  const auto& starts = place.source->line_starts;
  const auto index = static_cast<std::size_t>(place.line) - 1;
  return line_at(*place.source, starts.at(index)).text;
}

}  // namespace

std::map<std::string, Place> recorded_origins(const std::map<std::string, Place>& places) {
  std::map<std::string, Place> origins;
  for (const auto& [path, place] : places) {
    const bool in_file = place.source && place.source->origin == Origin::config_file && place.line > 0;
    const auto comment = in_file ? comment_of(line_of(place)) : std::string_view();
    if (comment == kDefault || (in_file && names_its_own_file(comment, place))) continue;
    origins.emplace(path, comment.empty() ? place : parse_origin(comment));
  }
  return origins;
}

}  // namespace ddp::cli
