#include "cli/output/last_line.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/output/log_text.hpp"
#include "ddp/jobenv/terminal.hpp"

namespace ddp::cli {
namespace {

// A ^C that the terminal echoes behind it still fits: only one row can be erased. A character in the last
// column makes some terminals go on to the next row.
constexpr std::size_t kFree = 3;

bool is_pipe(int descriptor) {
  struct stat file {};
  return fstat(descriptor, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode));
}

std::string render(const LastText& line, std::size_t columns) {
  if (const auto* progress = std::get_if<ProgressLine>(&line))
    return render_progress_line(*progress, columns);
  return cut_to_columns(std::get<RewrittenLine>(line).text, columns);
}

}  // namespace

void LastLine::set(std::optional<LastText> line) {
  line_ = std::move(line);
  if (!line_) erase();
}

void LastLine::erase() {
  if (!drawn_) return;
  terminal_ << kEraseLine << std::flush;
  drawn_.reset();
}

void LastLine::draw() {
  if (!line_ || line_ == drawn_) return;
  const std::size_t columns = std::max(columns_(), kFree) - kFree;
  terminal_ << kEraseLine + render(*line_, columns) << std::flush;
  drawn_ = line_;
}

std::optional<LastLine> make_last_line(const EnvMap& environment, std::ostream& out, std::ostream& err) {
  if (!allows_escapes(environment) || is_pipe(STDOUT_FILENO) || is_pipe(STDERR_FILENO)) return std::nullopt;
  const auto on = [](std::ostream& stream, int terminal) {
    return LastLine(stream, [terminal] { return terminal_columns(terminal).value_or(kUsualColumns); });
  };
  if (terminal_columns(STDERR_FILENO)) return on(err, STDERR_FILENO);
  if (terminal_columns(STDOUT_FILENO)) return on(out, STDOUT_FILENO);
  return std::nullopt;
}

}  // namespace ddp::cli
