#include "cli/output/terminal_text.hpp"

#include <algorithm>
#include <cwchar>
#include <utility>

#include "ddp/jobenv/terminal.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kResetAttributes = "\x1b[0m";

/// -1: the character cannot be shown.
int columns_of_code(const CodePoint& code, Charset charset) {
  if (!code.valid || is_control_character(code.value)) return -1;
  if (code.value < 0x80) return 1;
  if (charset == Charset::ascii) return -1;
  return wcwidth(static_cast<wchar_t>(code.value));
}

std::string_view cut_mark(Charset charset) {
  return charset == Charset::utf8 ? "…" : "~";
}

/// The beginning of a showable text.
std::string_view take_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const auto code = decode_utf8(text.substr(end));
    const auto width = static_cast<std::size_t>(std::max(0, columns_of_code(code, Charset::utf8)));
    if (width > columns) break;
    columns -= width;
    end += code.bytes;
  }
  return text.substr(0, end);
}

/// How long the control sequence is that `text` begins with; 0: it begins with none. A string (OSC, DCS, SOS,
/// PM, APC) ends with its terminator. None goes beyond its line.
std::size_t length_of_control(std::string_view text) {
  if (!text.starts_with('\x1b')) return 0;
  text = text.substr(0, text.find('\n'));
  if (text.size() < 2) return 0;
  if (text[1] == '[') return length_of_escape(text);
  if (std::string_view("]PX^_").find(text[1]) == text.npos) return 2;
  for (auto end = text.find_first_of("\a\x1b", 2); end != text.npos;
       end = text.find_first_of("\a\x1b", end + 1)) {
    if (text[end] == '\a') return end + 1;
    if (text.substr(end).starts_with("\x1b\\")) return end + 2;
  }
  return text.size();
}

/// SGR, erase in the line, cursor up and down and to a column. Private forms, as `ESC [ ? 25 l`, are others.
bool stays_in_lines(std::string_view control) {
  if (!control.starts_with("\x1b[") || control.size() < 3) return false;
  const auto parameters = control.substr(2, control.size() - 3);
  return parameters.find_first_not_of("0123456789;:") == parameters.npos &&
         std::string_view("mKABG").find(control.back()) != std::string_view::npos;
}

/// Whether the first character does: C0, DEL or C1, which some terminals take as a byte alone, too.
bool controls_terminal(std::string_view text) {
  constexpr std::string_view kHarmless = "\n\r\b\t";
  const auto code = decode_utf8(text);
  const auto value = code.valid ? code.value : static_cast<char32_t>(static_cast<unsigned char>(text[0]));
  const bool is_control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  return is_control && kHarmless.find(text[0]) == kHarmless.npos;
}

}  // namespace

std::string neutralize(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto part = text.substr(0, std::min(text.find('\t'), text.find("\r\n")));
    shown += escape_control_characters(part);
    text.remove_prefix(part.size());
    if (text.empty()) break;
    shown += text.front();
    text.remove_prefix(1);
  }
  return shown;
}

std::string keep_line_controls(std::string_view lines) {
  std::string shown;
  bool is_plain = true;
  const auto reset = [&] {
    if (!std::exchange(is_plain, true)) shown += kResetAttributes;
  };
  while (!lines.empty()) {
    auto length = length_of_control(lines);
    const bool is_kept = length > 0 ? stays_in_lines(lines.substr(0, length)) : !controls_terminal(lines);
    if (length == 0) length = decode_utf8(lines).bytes;
    const auto piece = lines.substr(0, length);
    if (piece == "\n") reset();
    if (is_kept) shown += piece;
    if (is_kept && length > 1 && piece.back() == 'm')
      is_plain = piece == kResetAttributes || piece == "\x1b[m";
    lines.remove_prefix(length);
  }
  reset();
  return shown;
}

std::string make_showable(std::string_view text, Charset charset) {
  std::string shown;
  while (!text.empty()) {
    if (const auto length = length_of_escape(text); length > 0) {
      text.remove_prefix(length);
      continue;
    }
    const auto code = decode_utf8(text);
    const bool blank = code.valid && (code.value == U'\t' || code.value == U'\n');
    const bool fits = columns_of_code(code, charset) >= 0;
    shown += blank ? std::string_view(" ") : fits ? text.substr(0, code.bytes) : std::string_view("?");
    text.remove_prefix(code.bytes);
  }
  return shown;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto code = decode_utf8(text);
    columns += static_cast<std::size_t>(std::max(0, columns_of_code(code, Charset::utf8)));
    text.remove_prefix(code.bytes);
  }
  return columns;
}

std::string fit_columns(std::string_view text, std::size_t columns, Charset charset) {
  auto shown = make_showable(text.substr(0, 16 * columns + 16), charset);
  if (columns_of(shown) <= columns && text.size() <= 16 * columns + 16) return shown;
  if (columns == 0) return {};
  return std::string(take_columns(shown, columns - 1)) + std::string(cut_mark(charset));
}

}  // namespace ddp::cli
