#include "jobenv/config/source_text.hpp"

#include <algorithm>

namespace ddp {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string without_carriage_returns(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    result += text[i];
  }
  return result;
}

constexpr std::size_t kMaxLineShown = 4096;

std::string line_text(const SourceText& source, int line) {
  if (source.line_starts.empty()) return source.text;
  const auto index = static_cast<std::size_t>(std::max(line, 1)) - 1;
  if (index >= source.line_starts.size()) return {};
  return std::string(line_at(source, source.line_starts[index]).text.substr(0, kMaxLineShown));
}

}  // namespace

std::shared_ptr<const SourceText> make_source_text(std::string name, std::string folder, std::string text,
                                                   Origin origin) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  auto source = std::make_shared<SourceText>(
      SourceText{std::move(name), std::move(folder), without_carriage_returns(text), {0}, origin});
  for (std::size_t i = 0; i < source->text.size(); ++i) {
    if (source->text[i] == '\n') source->line_starts.push_back(i + 1);
  }
  return source;
}

std::shared_ptr<const SourceText> make_argument_source(std::string argument, std::string folder) {
  return std::make_shared<SourceText>(
      SourceText{"command line", std::move(folder), std::move(argument), {}, Origin::command_line});
}

SourceLine line_at(const SourceText& source, std::size_t offset) {
  if (source.line_starts.empty()) return {0, 0, source.text};
  const auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const std::size_t start = *std::prev(after);
  const std::size_t end = std::min(source.text.find('\n', start), source.text.size());
  return {static_cast<int>(after - source.line_starts.begin()), start,
          std::string_view(source.text).substr(start, end - start)};
}

Place place_at(const std::shared_ptr<const SourceText>& source, std::size_t offset, int length) {
  const SourceLine line = line_at(*source, offset);
  return {source, line.number, static_cast<int>(offset - line.start) + 1, length};
}

SourceMark Place::mark() const {
  if (!source) return {};
  return {source->name, line, column, length, line_text(*source, line)};
}

std::string Place::describe() const {
  if (!source) return "default";
  if (line == 0) return source->name;
  return source->name + ":" + std::to_string(line);
}

Error config_error(const Place& place, std::string message, std::string hint) {
  Error error{ExitCode::config_invalid, std::move(message), std::move(hint)};
  if (place.source) error.where = place.mark();
  return error;
}

}  // namespace ddp
