#include "cli/spec/setup_lines.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::array<std::array<std::string_view, 2>, 2> kSetupKeys{
    {{"environment", "setup"}, {"slurm", "setup"}}};

/// A text behind '|' or '>'.
bool is_block(const ConfigNode& node) {
  const auto& source = node.place.source;
  if (!source || source->line_starts.empty() || node.place.line < 1) return false;
  const auto line = line_at(*source, source->line_starts[static_cast<std::size_t>(node.place.line) - 1]).text;
  const auto column = static_cast<std::size_t>(node.place.column) - 1;
  return column < line.size() && (line[column] == '|' || line[column] == '>');
}

/// Of line `index` of a text behind '|': they follow it one by one. Others stand where they begin.
Place place_of_line(const Place& text, std::size_t index) {
  const auto& source = text.source;
  const auto row = static_cast<std::size_t>(text.line) + index;  // from 0
  const auto mark = text.mark();
  const bool is_literal = mark.text.substr(static_cast<std::size_t>(text.column) - 1).starts_with('|');
  if (!is_literal || row >= source->line_starts.size()) return text;
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
  for (const auto& [section, key] : kSetupKeys) {
    ConfigNode::Entry* const outer = find_in(root, section);
    ConfigNode::Entry* const setup = outer ? find_in(outer->value, key) : nullptr;
    if (setup) split(setup->value);
  }
}

}  // namespace ddp::cli
