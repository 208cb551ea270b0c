#include "cli/output/terminal_text.hpp"

#include <algorithm>
#include <cwchar>

#include "ddp/jobenv/terminal.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

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

}  // namespace

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
