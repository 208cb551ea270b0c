#include "cli/top/terminal/curses_terminal.hpp"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>
#include <string_view>

// Last, and without its macros of common words.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace ddp::cli {
namespace {

constexpr int kEscapeMilliseconds = 50;  // that belong to one key, at most

enum Pair : short { kRed = 1, kGreen, kYellow, kCyan };

/// That of the user; where it is not installed, but is one of UTF-8, the one that is always there.
Charset take_locale() {
  const bool taken = setlocale(LC_CTYPE, "") != nullptr;
  const auto is_utf8 = [] { return std::string_view(nl_langinfo(CODESET)) == "UTF-8"; };
  if (taken && is_utf8()) return Charset::utf8;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale = value;
    const bool wants_utf8 = locale.ends_with("UTF-8") || locale.ends_with("utf8");
    if (wants_utf8 && setlocale(LC_CTYPE, "C.UTF-8") != nullptr && is_utf8()) return Charset::utf8;
    break;
  }
  return Charset::ascii;
}

tl::unexpected<Error> refuse_term(const std::string& why) {
  const char* value = std::getenv("TERM");
  const std::string term = value == nullptr ? "" : value;
  return fail(ExitCode::usage, term.empty() ? "TERM is not set" : "TERM is '" + term + "': " + why,
              "set TERM, for example TERM=xterm; or use: ddpsubmit list");
}

enum class Ink { plain, coloured };

attr_t attributes_of(Style style, Ink ink) {
  const auto in = [ink](Pair pair, attr_t otherwise) {
    return ink == Ink::coloured ? static_cast<attr_t>(COLOR_PAIR(pair)) : otherwise;
  };
  switch (style) {
    case Style::dim:
      return A_DIM;
    case Style::strong:
      return A_BOLD;
    case Style::head:
      return A_BOLD;
    case Style::good:
      return in(kGreen, A_NORMAL);
    case Style::bad:
      return in(kRed, A_NORMAL) | A_BOLD;
    case Style::warn:
      return in(kYellow, A_BOLD);
    case Style::accent:
      return in(kCyan, A_NORMAL);
    case Style::plain:
      break;
  }
  return A_NORMAL;
}

PressedKey key_of(int code) {
  switch (code) {
    case KEY_UP:
      return kKeyUp;
    case KEY_DOWN:
      return kKeyDown;
    case KEY_PPAGE:
      return kKeyPageUp;
    case KEY_NPAGE:
      return kKeyPageDown;
    case KEY_HOME:
      return kKeyHome;
    case KEY_END:
      return kKeyEnd;
    case KEY_ENTER:
      return kKeyEnter;
    case KEY_BACKSPACE:
      return kKeyBackspace;
    case KEY_LEFT:
      return kKeyLeft;
    case KEY_RIGHT:
      return kKeyRight;
    default:
      return 0;
  }
}

/// Nothing of the footer stays under the prompt on a terminal without a screen for this alone.
void clear_last_line() {
  wmove(stdscr, getmaxy(stdscr) - 1, 0);
  wclrtoeol(stdscr);
  wrefresh(stdscr);
}

PressedKey key_of_character(wint_t character) {
  if (character == L'\r' || character == L'\n') return kKeyEnter;
  if (character == 0x7f || character == 0x08) return kKeyBackspace;
  if (character == 0x1b) return kKeyEscape;
  return static_cast<PressedKey>(character);
}

}  // namespace

struct CursesTerminal::Curses {
  SCREEN* screen = nullptr;
  Charset charset = Charset::ascii;
  Ink ink = Ink::plain;
};

Expected<std::unique_ptr<CursesTerminal>> CursesTerminal::open(Colour colour) {
  auto curses = std::make_unique<Curses>();
  curses->charset = take_locale();
  curses->screen = newterm(nullptr, stdout, stdin);
  if (curses->screen == nullptr) return refuse_term("this machine has no description of such a terminal");
  const char* const place_cursor = tigetstr("cup");
  if (place_cursor == nullptr || place_cursor == reinterpret_cast<char*>(-1)) {
    endwin();
    delscreen(curses->screen);
    return refuse_term("such a terminal can only print line after line");
  }
  if (colour == Colour::terminal && has_colors() && start_color() == OK) {
    use_default_colors();
    init_pair(kRed, COLOR_RED, -1);
    init_pair(kGreen, COLOR_GREEN, -1);
    init_pair(kYellow, COLOR_YELLOW, -1);
    init_pair(kCyan, COLOR_CYAN, -1);
    curses->ink = Ink::coloured;
  }
  return std::unique_ptr<CursesTerminal>(new CursesTerminal(std::move(curses)));
}

CursesTerminal::CursesTerminal(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {
  set_escdelay(kEscapeMilliseconds);
  cbreak();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, true);
  nodelay(stdscr, true);
}

CursesTerminal::~CursesTerminal() {
  clear_last_line();
  endwin();
  delscreen(curses_->screen);
}

Frame CursesTerminal::frame() const {
  return {.columns = static_cast<std::size_t>(getmaxx(stdscr)),
          .rows = static_cast<std::size_t>(getmaxy(stdscr)),
          .charset = curses_->charset};
}

void CursesTerminal::draw(const Screen& screen) {
  werase(stdscr);
  int row = 0;
  for (const auto& line : screen) {
    const attr_t all = line.row == Row::plain ? A_NORMAL : A_REVERSE;
    wmove(stdscr, row, 0);
    for (const auto& span : line.spans) {
      // Colours of parts would make a reversed line a patchwork.
      const auto part = all == A_NORMAL ? attributes_of(span.style, curses_->ink)
                                        : attributes_of(span.style, Ink::plain) & A_BOLD;
      wattrset(stdscr, static_cast<int>(all | part));
      waddnstr(stdscr, span.text.data(), static_cast<int>(span.text.size()));
    }
    wattrset(stdscr, static_cast<int>(all));
    for (int left = getmaxx(stdscr) - getcurx(stdscr); all != A_NORMAL && left > 0 && getcury(stdscr) == row;
         --left)
      waddch(stdscr, ' ');
    wattrset(stdscr, A_NORMAL);
    ++row;
  }
  wrefresh(stdscr);
}

void CursesTerminal::forget() {
  clearok(stdscr, true);
}

std::optional<PressedKey> CursesTerminal::take_key() {
  wint_t code = 0;
  const int kind = wget_wch(stdscr, &code);
  if (kind == ERR) return std::nullopt;
  return kind == KEY_CODE_YES ? key_of(static_cast<int>(code)) : key_of_character(code);
}

void CursesTerminal::leave() {
  clear_last_line();
  def_prog_mode();
  endwin();
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &usual, &stop_);
}

void CursesTerminal::enter() {
  sigaction(SIGTSTP, &stop_, nullptr);
  reset_prog_mode();
  flushinp();
  forget();
}

}  // namespace ddp::cli
