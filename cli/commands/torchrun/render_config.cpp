#include "cli/commands/torchrun/render_config.hpp"

#include <fmt/format.h>

#include "cli/spec/field_writer.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kCommentColumn = 28;
constexpr std::size_t kLongestComment = 80;

/// The argument that a value comes from; empty: none, or it is too long for a comment. An argument of --set
/// has its key in it.
std::string comment_on(const ConfigNode::Entry& entry) {
  const auto& place = entry.value.place;
  if (!place.source || entry.value.kind == ConfigNode::Kind::sequence) return {};
  const auto& text = place.source->text;
  if (text.size() > kLongestComment || has_control_character(text)) return {};
  const auto key_of_setting = entry.key + "=";
  const bool is_setting = text.find('.') < text.find('=') || text.starts_with(key_of_setting);
  return (is_setting && !text.starts_with('-') ? "--set " : "") + text;
}

void render_entries(const ConfigNode& map, std::size_t depth, std::string& text) {
  for (const auto& entry : map.entries) {
    const std::string key = std::string(2 * depth, ' ') + render_text(entry.key) + ":";
    if (entry.value.kind == ConfigNode::Kind::map && !entry.value.entries.empty()) {
      text += key + "\n";
      render_entries(entry.value, depth + 1, text);
      continue;
    }
    const auto line = key + " " + render_node(entry.value);
    const auto comment = comment_on(entry);
    text += comment.empty() ? line : fmt::format("{:<{}}  # {}", line, kCommentColumn, comment);
    text += "\n";
  }
}

}  // namespace

std::string render_config(const ConfigNode& root) {
  std::string text;
  render_entries(root, 0, text);
  return text;
}

}  // namespace ddp::cli
