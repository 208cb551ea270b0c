#include "ddp/jobenv/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace ddp {

bool allows_escapes(const EnvMap& environment) {
  return environment.get("NO_COLOR").value_or("").empty() && environment.get("TERM") != "dumb";
}

std::size_t length_of_escape(std::string_view text) {
  constexpr std::string_view kIntroducer = "\x1b[";
  if (!text.starts_with(kIntroducer)) return 0;
  const auto is_last = [](char letter) { return letter >= '@' && letter <= '~'; };
  const auto last = std::find_if(text.begin() + kIntroducer.size(), text.end(), is_last);
  return static_cast<std::size_t>(last - text.begin()) + (last == text.end() ? 0 : 1);
}

std::optional<std::size_t> terminal_columns(int descriptor) {
  if (isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

}  // namespace ddp
