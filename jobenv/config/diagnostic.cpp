#include "jobenv/config/diagnostic.hpp"

#include <algorithm>
#include <string_view>

#include "jobenv/config/utf8.hpp"

namespace ddp {
namespace {

constexpr std::size_t kMaxWidth = 120;   // of the source line, in characters
constexpr std::size_t kKeptBefore = 40;  // characters shown before the carets when the line is cut

/// A source line fit for a terminal, with the carets' place in characters.
struct Excerpt {
  std::u32string text;
  std::size_t caret = 0;
  std::size_t length = 1;
};

std::string encode_utf8(const std::u32string& text) {
  std::string bytes;
  for (const char32_t code : text) {
    const auto tail = [&](unsigned shift) { bytes += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      bytes += static_cast<char>(code);
    } else if (code < 0x800) {
      bytes += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      bytes += static_cast<char>(0xE0 | (code >> 12));
      tail(6), tail(0);
    } else {
      bytes += static_cast<char>(0xF0 | (code >> 18));
      tail(12), tail(6), tail(0);
    }
  }
  return bytes;
}

Excerpt decode_line(const SourceMark& mark) {
  Excerpt excerpt;
  const auto first = static_cast<std::size_t>(std::max(mark.column, 1)) - 1;
  const std::size_t last = first + static_cast<std::size_t>(std::max(mark.length, 1));
  std::size_t end = 0;
  for (std::size_t i = 0; i < mark.text.size();) {
    const CodePoint code = decode_utf8(std::string_view(mark.text).substr(i));
    if (i < first) excerpt.caret = excerpt.text.size() + 1;
    if (i < last) end = excerpt.text.size() + 1;
    const bool shown = code.valid && !is_control_character(code.value);
    excerpt.text += shown ? code.value : code.value == '\t' ? U' ' : U'?';
    i += code.bytes;
  }
  excerpt.length = std::max<std::size_t>(end, excerpt.caret + 1) - excerpt.caret;
  return excerpt;
}

Excerpt cut(Excerpt excerpt) {
  if (excerpt.text.size() <= kMaxWidth) return excerpt;
  const std::size_t start = excerpt.caret > kKeptBefore ? excerpt.caret - kKeptBefore : 0;
  std::u32string shown = excerpt.text.substr(start, kMaxWidth);
  if (start + kMaxWidth < excerpt.text.size()) shown += U'…';
  if (start > 0) shown.front() = U'…';
  excerpt.text = std::move(shown);
  excerpt.caret -= start;
  excerpt.length = std::min(excerpt.length, kMaxWidth - excerpt.caret);
  return excerpt;
}

}  // namespace

std::string render_place(const SourceMark& mark) {
  if (mark.line == 0) return mark.file;
  const auto line = mark.file + ":" + std::to_string(mark.line);
  return mark.column == 0 ? line : line + ":" + std::to_string(mark.column);
}

std::string render_diagnostic(const Error& error) {
  const std::string hint = escape_control_characters(error.hint);
  std::string out = "error: " + escape_control_characters(error.message) + "\n";
  if (!error.where) return hint.empty() ? out : out + "  help: " + hint + "\n";
  const std::string place = "--> " + escape_control_characters(render_place(*error.where)) + "\n";
  if (error.where->column == 0)
    return out + "  " + place + (hint.empty() ? std::string() : "  help: " + hint + "\n");
  const Excerpt excerpt = cut(decode_line(*error.where));
  const std::string number = error.where->line == 0 ? " " : std::to_string(error.where->line);
  const std::string margin(number.size() + 1, ' ');
  out += margin + place;
  out += margin + " |\n";
  out += " " + number + " | " + encode_utf8(excerpt.text) + "\n";
  out += margin + " | " + std::string(excerpt.caret, ' ') + std::string(excerpt.length, '^');
  if (!hint.empty()) out += " help: " + hint;
  return out + "\n";
}

std::string render_diagnostics(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) {
    if (!out.empty()) out += "\n";
    out += render_diagnostic(error);
  }
  return out;
}

}  // namespace ddp
