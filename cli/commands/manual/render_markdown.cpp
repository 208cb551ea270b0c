#include "cli/commands/manual/render_markdown.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

constexpr std::size_t kMarkdownWidth = 120;

/// What Markdown would take for markup, outside of code.
std::string escape_for_markdown(std::string_view text) {
  std::string escaped;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (!is_code && (c == '<' || c == '*')) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// Blanks in code do not part lines: a page would show them as they are.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (c == ' ' && !is_code)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// In lines, those behind the first one indented.
std::string wrap_for_markdown(const std::string& text, std::size_t indent) {
  std::string lines;
  std::string line;
  for (const auto& word : split_words(text)) {
    if (!line.empty() && line.size() + 1 + word.size() > kMarkdownWidth) {
      lines += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines + line + "\n";
}

std::string markdown_of(const Paragraph& paragraph) {
  return wrap_for_markdown(escape_for_markdown(paragraph.text), 0);
}

std::string markdown_of(const Entries& entries) {
  std::string text;
  for (const auto& entry : entries.entries)
    text += wrap_for_markdown(
        "- `" + entry.term + "`" + (entry.text.empty() ? "" : ": " + escape_for_markdown(entry.text)), 2);
  return text;
}

std::string markdown_of(const Listing& listing) {
  std::string text = "```\n";
  for (const auto& line : listing.lines) text += line + "\n";
  return text + "```\n";
}

std::string markdown_of(const Heading& heading) {
  return "### " + escape_for_markdown(heading.text) + "\n";
}

}  // namespace

std::string render_markdown(const std::vector<Block>& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    if (!text.empty()) text += "\n";
    text += std::visit([](const auto& each) { return markdown_of(each); }, block);
  }
  return text;
}

std::string render_markdown(const Section& section, int level) {
  return std::string(static_cast<std::size_t>(level), '#') + " " + section.title + "\n\n" +
         render_markdown(section.blocks);
}

}  // namespace ddp::cli
