#include "cli/commands/torchrun/render_config.hpp"

#include <fmt/format.h>

#include "cli/spec/field_writer.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kCommentColumn = 28;
constexpr std::size_t kLongestComment = 80;

/// The argument that a value comes from; empty: none, or it is too long for a comment.
std::string comment_on(const ConfigNode::Entry& entry, const SettingSources& settings) {
  const auto& place = entry.value.place;
  if (!place.source || entry.value.kind == ConfigNode::Kind::sequence) return {};
  const auto& text = place.source->text;
  if (text.size() > kLongestComment || has_control_character(text)) return {};
  return settings.find(place) == WrittenAs::setting ? "--set " + text : text;
}

void render_entries(const ConfigNode& map, std::size_t depth, const SettingSources& settings,
                    std::string& text) {
  for (const auto& entry : map.entries) {
    const std::string key = std::string(2 * depth, ' ') + render_text(entry.key) + ":";
    if (entry.value.kind == ConfigNode::Kind::map && !entry.value.entries.empty()) {
      text += key + "\n";
      render_entries(entry.value, depth + 1, settings, text);
      continue;
    }
    const auto line = key + " " + render_node(entry.value);
    const auto comment = comment_on(entry, settings);
    text += comment.empty() ? line : fmt::format("{:<{}}  # {}", line, kCommentColumn, comment);
    text += "\n";
  }
}

}  // namespace

std::string render_config(const ConfigNode& root, const SettingSources& settings) {
  std::string text;
  render_entries(root, 0, settings, text);
  return text;
}

}  // namespace ddp::cli
