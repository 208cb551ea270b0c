#pragma once

#include <csignal>
#include <memory>
#include <optional>

#include "cli/output/reporter.hpp"
#include "cli/top/model/keys.hpp"
#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// The whole terminal, by ncurses. While it lives nothing else may print. The terminal is as it was before
/// when this object is gone. At most one at a time, and for one thread.
class CursesTerminal {
 public:
  /// stdin and stdout are a terminal. An error when TERM does not name one that is known here.
  [[nodiscard]] static Expected<std::unique_ptr<CursesTerminal>> open(Colour colour);
  CursesTerminal(const CursesTerminal&) = delete;
  CursesTerminal& operator=(const CursesTerminal&) = delete;
  ~CursesTerminal();

  /// Its size and charset now; the time is not set.
  [[nodiscard]] Frame frame() const;
  /// Writes what has changed since the last call.
  void draw(const Screen& screen);
  /// Draws everything anew at the next call of draw.
  void forget();
  /// nullopt: no key has been pressed. PressedKey 0: something that is no key, such as a change of the size.
  [[nodiscard]] std::optional<PressedKey> take_key();
  /// Gives the terminal back for a while, as a program has it that a shell starts.
  void leave();
  /// Takes it again. What has been typed meanwhile is lost.
  void enter();

 private:
  struct Curses;
  explicit CursesTerminal(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
  struct sigaction stop_ = {};  // what Ctrl-Z does while curses has the terminal
};

}  // namespace ddp::cli
