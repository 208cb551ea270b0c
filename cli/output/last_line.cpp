#include "cli/output/last_line.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ddp::cli {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";
constexpr std::size_t kUsualColumns = 80;
// A ^C that the terminal echoes behind it still fits: only one row can be erased. A character in the last
// column makes some terminals go on to the next row.
constexpr std::size_t kFree = 3;

bool is_pipe(int descriptor) {
  struct stat file {};
  return fstat(descriptor, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode));
}

std::size_t columns_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

}  // namespace

void LastLine::set(std::optional<ProgressLine> line) {
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
  terminal_ << kEraseLine + render_progress_line(*line_, columns) << std::flush;
  drawn_ = line_;
}

std::optional<LastLine> make_last_line(const EnvMap& environment, std::ostream& out, std::ostream& err) {
  if (!allows_escapes(environment) || is_pipe(STDOUT_FILENO) || is_pipe(STDERR_FILENO)) return std::nullopt;
  const auto on = [](std::ostream& stream, int terminal) {
    return LastLine(stream, [terminal] { return columns_of(terminal); });
  };
  if (isatty(STDERR_FILENO) != 0) return on(err, STDERR_FILENO);
  if (isatty(STDOUT_FILENO) != 0) return on(out, STDOUT_FILENO);
  return std::nullopt;
}

}  // namespace ddp::cli
