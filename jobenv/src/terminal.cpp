#include "ddp/jobenv/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace ddp {

bool allows_escapes(const EnvMap& environment) {
  return environment.get("NO_COLOR").value_or("").empty() && environment.get("TERM") != "dumb";
}

std::optional<std::size_t> terminal_columns(int descriptor) {
  if (isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

}  // namespace ddp
