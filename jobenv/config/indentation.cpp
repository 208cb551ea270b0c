#include "jobenv/config/indentation.hpp"

#include <optional>
#include <string_view>

namespace ddp {
namespace {

std::string_view text_of(const SourceText& source, int line) {
  return line_at(source, source.line_starts[static_cast<std::size_t>(line) - 1]).text;
}

/// nullopt: the line is blank or a comment.
std::optional<std::size_t> indentation_of(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == line.npos || line[begin] == '#') return std::nullopt;
  return begin;
}

std::optional<std::size_t> indentation_above(const SourceText& source, int line) {
  while (--line > 0) {
    if (const auto found = indentation_of(text_of(source, line))) return found;
  }
  return std::nullopt;
}

std::string in_spaces(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " space" : " spaces");
}

}  // namespace

std::string describe_indentation(const Place& at) {
  if (!at.source || at.source->line_starts.empty() || at.line < 2) return {};
  const auto line = text_of(*at.source, at.line);
  const auto here = indentation_of(line);
  const auto above = indentation_above(*at.source, at.line);
  if (!here || !above || *here == *above) return {};
  const auto key = line.substr(*here, line.find(':', *here) - *here);
  if (key.size() == line.size() - *here || key.find_first_of(" \"'{[") != key.npos) return {};
  return "'" + std::string(key) + "' is indented by " + in_spaces(*here) + ", but the line above by " +
         std::to_string(*above);
}

}  // namespace ddp
