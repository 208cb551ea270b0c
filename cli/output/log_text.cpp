#include "cli/output/log_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kUncoloured = "\x1b[0m";
constexpr std::string_view kSequenceBegin = "\x1b[";

std::string render_mark(const LogLine& line, const LogMarks& marks) {
  const bool is_err = marks.err == ErrMark::shown && line.stream == LogStream::err;
  std::string mark = marks.rank == RankMark::shown ? "r" + std::to_string(line.rank) : "";
  if (is_err) mark += mark.empty() ? "err" : " err";
  if (mark.empty()) return mark;
  mark = "[" + mark + "]";
  if (is_err && marks.colour == Colour::terminal)
    mark = std::string(kYellow) + mark + std::string(kUncoloured);
  return mark + " ";
}

/// How long the escape sequence, or else the character is that `text` begins with.
std::size_t length_of_first(std::string_view text, const CodePoint& code) {
  if (!text.starts_with(kSequenceBegin)) return code.bytes;
  const auto is_final = [](char letter) { return letter >= '@' && letter <= '~'; };
  const auto end = std::find_if(text.begin() + kSequenceBegin.size(), text.end(), is_final);
  return static_cast<std::size_t>(end - text.begin()) + (end == text.end() ? 0 : 1);
}

}  // namespace

std::string render_log_line(const LogLine& line, const LogMarks& marks) {
  return render_mark(line, marks) + line.text;
}

RankMark rank_mark_for(std::size_t ranks) {
  return ranks > 1 ? RankMark::shown : RankMark::none;
}

ErrMark err_mark_of_own_streams() {
  struct stat out {};
  struct stat err {};
  const bool known = fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0;
  return known && out.st_dev == err.st_dev && out.st_ino == err.st_ino ? ErrMark::shown : ErrMark::none;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  std::string line;
  while (!text.empty() && columns > 0) {
    const auto code = decode_utf8(text);
    if (code.valid && !is_control_character(code.value)) {
      line += text.substr(0, code.bytes);
      --columns;
    }
    text.remove_prefix(length_of_first(text, code));
  }
  return line;
}

}  // namespace ddp::cli
