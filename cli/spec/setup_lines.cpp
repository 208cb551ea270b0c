#include "cli/spec/setup_lines.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/launchers/launcher_row.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kSetup = "setup";

/// That of all launchers, and those of the launchers that have set-up lines of their own.
std::vector<std::string_view> sections_with_setup() {
  std::vector<std::string_view> sections{"environment"};
  for (const auto* launcher : all_launchers()) sections.push_back(launcher->name);
  return sections;
}

/// What is written at `place`; '\0': nothing is known of it.
char character_at(const Place& place) {
  const auto& source = place.source;
  if (!source || source->line_starts.empty() || place.line < 1) return '\0';
  const auto line = line_at(*source, source->line_starts[static_cast<std::size_t>(place.line) - 1]).text;
  const auto column = static_cast<std::size_t>(place.column) - 1;
  return column < line.size() ? line[column] : '\0';
}

/// A text behind '|' or '>'.
bool is_block(const ConfigNode& node) {
  const char sign = character_at(node.place);
  return sign == '|' || sign == '>';
}

/// Of line `index` of a text behind '|': they follow it one by one. Others stand where they begin.
Place place_of_line(const Place& text, std::size_t index) {
  const auto& source = text.source;
  const auto row = static_cast<std::size_t>(text.line) + index;  // from 0
  if (character_at(text) != '|' || row >= source->line_starts.size()) return text;
  const auto line = line_at(*source, source->line_starts[row]);
  const auto begin = std::min(line.text.find_first_not_of(' '), line.text.size());
  return place_at(source, line.start + begin, std::max(1, static_cast<int>(line.text.size() - begin)));
}

std::vector<ConfigNode> lines_of(const ConfigNode& text) {
  const auto end = text.scalar.find_last_not_of('\n') + 1;
  std::string_view rest = std::string_view(text.scalar).substr(0, end);
  std::vector<ConfigNode> lines;
  while (!rest.empty()) {
    const auto length = std::min(rest.find('\n'), rest.size());
    ConfigNode& line = lines.emplace_back(text);
    line.scalar = rest.substr(0, length);
    if (is_block(text)) line.place = place_of_line(text.place, lines.size() - 1);
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return lines;
}

bool has_lines(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::scalar &&
         (is_block(node) || node.scalar.find('\n') != std::string::npos);
}

void split(ConfigNode& setup) {
  if (has_lines(setup)) {
    auto lines = lines_of(setup);
    const Place place = lines.empty() ? setup.place : lines.front().place;
    setup = {.kind = ConfigNode::Kind::sequence, .items = std::move(lines), .entries = {}, .place = place};
    return;
  }
  std::vector<ConfigNode> items;
  for (ConfigNode& item : setup.items) {
    auto lines = has_lines(item) ? lines_of(item) : std::vector<ConfigNode>{std::move(item)};
    std::ranges::move(lines, std::back_inserter(items));
  }
  setup.items = std::move(items);
}

ConfigNode::Entry* find_in(ConfigNode& map, std::string_view key) {
  const auto entry = std::ranges::find(map.entries, key, &ConfigNode::Entry::key);
  return entry == map.entries.end() ? nullptr : &*entry;
}

}  // namespace

void split_setup_lines(ConfigNode& root) {
  for (const auto section : sections_with_setup()) {
    ConfigNode::Entry* const outer = find_in(root, section);
    ConfigNode::Entry* const setup = outer ? find_in(outer->value, kSetup) : nullptr;
    if (setup) split(setup->value);
  }
}

}  // namespace ddp::cli
