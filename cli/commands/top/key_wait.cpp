#include "cli/commands/top/key_wait.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ddp::cli {
namespace {

/// Keys come one by one, and are not shown.
class SingleKeys {
 public:
  SingleKeys() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    auto single = before_;
    single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    single.c_cc[VMIN] = 1;
    single.c_cc[VTIME] = 0;
    changed_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &single) == 0;
  }
  SingleKeys(const SingleKeys&) = delete;
  SingleKeys& operator=(const SingleKeys&) = delete;
  ~SingleKeys() {
    if (changed_) (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }

 private:
  termios before_{};
  bool changed_ = false;
};

/// Arrows and the like send "ESC [ B" or "ESC O B".
char first_single_key(std::string_view bytes) {
  constexpr std::string_view kBeginnings = "[O";
  while (bytes.size() > 1 && bytes[0] == kEscape && kBeginnings.find(bytes[1]) != kBeginnings.npos) {
    const auto end = std::find_if(bytes.begin() + 2, bytes.end(), [](char c) { return c >= '@'; });
    bytes.remove_prefix(std::min(static_cast<std::size_t>(end - bytes.begin()) + 1, bytes.size()));
  }
  return bytes.empty() ? '\0' : bytes.front();
}

}  // namespace

std::optional<char> wait_for_key(int descriptor) {
  const SingleKeys single;
  std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLIN, 0}, {descriptor, POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) < 0) {
  }
  if (watched[1].revents != 0) return std::nullopt;
  std::array<char, 32> bytes{};
  const auto count = read(STDIN_FILENO, bytes.data(), bytes.size());
  return count <= 0 ? kEscape : first_single_key({bytes.data(), static_cast<std::size_t>(count)});
}

}  // namespace ddp::cli
