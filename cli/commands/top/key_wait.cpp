#include "cli/commands/top/key_wait.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>

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

}  // namespace

Came wait_for_key(int signals) {
  const SingleKeys single;
  std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLIN, 0}, {signals, POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) < 0) {
  }
  if (watched[1].revents != 0) return Came::signal;
  char key = 0;
  (void)!read(STDIN_FILENO, &key, 1);  // of a terminal that is gone there is none
  return Came::key;
}

}  // namespace ddp::cli
