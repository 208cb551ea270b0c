#include "cli/commands/manual/render_troff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTroffWidth = 78;  // mandoc warns of lines of more than 80 bytes

enum class TroffText { prose, code };

/// Characters that troff would take for something else, or print as another one.
std::string_view special_name(char32_t character) {
  switch (character) {
    case U'\\':
      return "\\(rs";
    case U'\'':
      return "\\(aq";
    case U'`':
      return "\\(ga";
    case U'^':
      return "\\(ha";
    case U'~':
      return "\\(ti";
    case U'"':
      return "\\(dq";
    default:
      return {};
  }
}

/// A hyphen of a word may become a longer dash; the one of an option must stay what a user types.
bool is_typed_hyphen(std::string_view text, std::size_t at, TroffText kind) {
  if (kind == TroffText::code) return true;
  const char before = at == 0 ? ' ' : text[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0;
}

std::string escape_for_troff(std::string_view text, TroffText kind) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = decode_utf8(text.substr(at));
    if (const auto name = special_name(character.value); !name.empty())
      escaped += name;
    else if (text[at] == '-')
      escaped += is_typed_hyphen(text, at, kind) ? "\\-" : "-";
    else if (character.valid && character.value > 0x7E)
      escaped += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(character.value));
    else
      escaped += text[at];
    at += character.bytes;
  }
  return escaped;
}

/// Code between backticks in bold.
std::string render_inline(std::string_view text) {
  std::string line;
  auto kind = TroffText::prose;
  while (true) {
    const auto end = std::min(text.find('`'), text.size());
    const auto part = escape_for_troff(text.substr(0, end), kind);
    line += kind == TroffText::code ? "\\fB" + part + "\\fR" : part;
    if (end == text.size()) return line;
    text.remove_prefix(end + 1);
    kind = kind == TroffText::code ? TroffText::prose : TroffText::code;
  }
}

/// troff takes a line that begins with a dot or an apostrophe for a request.
std::string guard_line(const std::string& line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

/// Each sentence begins a line, as troff spaces them.
std::string wrap_for_troff(const std::string& text) {
  std::string lines;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) lines += guard_line(line) + "\n";
    line.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > kTroffWidth) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
    if (word.ends_with('.')) flush();
    begin = end + 1;
  }
  flush();
  return lines;
}

std::string troff_of(const Paragraph& paragraph) {
  return ".PP\n" + wrap_for_troff(render_inline(paragraph.text));
}

std::string troff_of(const Entries& entries) {
  std::string text;
  for (const auto& entry : entries.entries) {
    text += ".TP\n" + guard_line("\\fB" + escape_for_troff(entry.term, TroffText::code) + "\\fR") + "\n";
    text += entry.text.empty() ? "\\&\n" : wrap_for_troff(render_inline(entry.text));
  }
  return text;
}

std::string troff_of(const Listing& listing) {
  std::string text = ".PP\n.RS 4\n.nf\n";
  for (const auto& line : listing.lines) text += guard_line(escape_for_troff(line, TroffText::code)) + "\n";
  return text + ".fi\n.RE\n";
}

std::string quote_for_troff(const std::string& text) {
  return '"' + escape_for_troff(text, TroffText::code) + '"';
}

std::string troff_of(const Heading& heading) {
  return ".SS " + quote_for_troff(heading.text) + "\n";
}

std::string to_upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string troff_of(const Section& section) {
  std::string text = ".SH " + quote_for_troff(to_upper(section.title)) + "\n";
  bool after_heading = true;
  for (const auto& block : section.blocks) {
    auto part = std::visit([](const auto& b) { return troff_of(b); }, block);
    // A paragraph begins there anyway.
    if (after_heading && part.starts_with(".PP\n")) part.erase(0, 4);
    text += part;
    after_heading = std::holds_alternative<Heading>(block);
  }
  return text;
}

}  // namespace

std::string render_troff(const ManualPage& page, const Edition& edition) {
  std::string text = fmt::format(".TH {} {} {} {} {}\n", quote_for_troff(to_upper(page.name)), page.chapter,
                                 edition.date, quote_for_troff(edition.version),
                                 page.chapter == 1 ? "\"User Commands\"" : "\"File Formats\"");
  text += ".nh\n.ad l\n.SH NAME\n" + wrap_for_troff(escape_for_troff(page.name, TroffText::code) + " \\- " +
                                                    render_inline(page.summary));
  for (const auto& section : page.sections) text += troff_of(section);
  return text;
}

}  // namespace ddp::cli
