#include "cli/commands/top/top_loop.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands/top/key_wait.hpp"
#include "cli/commands/top/top_actions.hpp"
#include "cli/system/signal_watch.hpp"
#include "cli/top/load/details_reader.hpp"
#include "cli/top/load/run_board.hpp"
#include "cli/top/load/state_questions.hpp"
#include "cli/top/terminal/curses_terminal.hpp"
#include "cli/top/view/screen.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kQuestionPause{10'000};  // a controller has others to answer, too
constexpr milliseconds kReadAtOnce{50};         // before keys are looked at again

class TopLoop {
 public:
  TopLoop(TopRequest request, CursesTerminal& terminal, Context& context)
      : context_(context),
        interval_(request.interval),
        terminal_(terminal),
        signals_({SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}),
        questions_(context.seams(), std::max(request.interval, kQuestionPause)),
        board_(quiet_seams(context), std::move(request.store), request.chosen),
        actions_(context),
        opens_one_(request.chosen.size() == 1) {}

  ExitCode run();
  [[nodiscard]] StateQuestions::Stopped stop() { return questions_.stop(); }

 private:
  enum class Goes { on, out };

  static LauncherSeams quiet_seams(const Context& context) {
    auto seams = context.seams();
    seams.note = {};
    return seams;
  }
  [[nodiscard]] steady_clock::time_point now() const { return context_.system.clock.steady(); }
  void refresh();
  void look_at_page();
  void draw();
  void wait();
  [[nodiscard]] Goes take_signals();
  void drop_interrupts();
  void show_logs(const TopOrder& order);
  [[nodiscard]] Goes take_keys();
  [[nodiscard]] Goes obey(const TopOrder& order);
  [[nodiscard]] Frame frame() const;

  Context& context_;
  milliseconds interval_;
  CursesTerminal& terminal_;
  SignalWatch signals_;
  StateQuestions questions_;
  RunBoard board_;
  TopActions actions_;
  TopState state_;
  TopData data_;
  std::optional<DetailsReader> details_;
  bool opens_one_;  // the screen of the only run, once it is read
  bool unfinished_ = true;
  bool hung_up_ = false;
  steady_clock::time_point next_refresh_{};
  int signal_ = 0;
};

ExitCode TopLoop::run() {
  while (true) {
    refresh();
    draw();
    wait();
    if (take_signals() == Goes::out) break;
    if (take_keys() == Goes::out) break;
  }
  if (signal_ == 0 || signal_ == SIGINT) return ExitCode::ok;
  return ExitCode::terminated;
}

void TopLoop::refresh() {
  const auto begin = now();
  if (!unfinished_ && begin < next_refresh_) return look_at_page();
  for (auto& answer : questions_.take()) board_.take(std::move(answer));
  unfinished_ = board_.look(begin, begin + kReadAtOnce, data_) == RunBoard::Look::out_of_time;
  if (!unfinished_) {
    next_refresh_ = begin + interval_;
    questions_.ask(board_.open_runs(), begin);
  }
  data_.complaints = questions_.complain(begin);
  if (opens_one_ && !data_.runs.empty() && data_.runs.front().read) {
    opens_one_ = false;
    open_run(data_.runs.front().run, state_);
  }
  look_at_page();
}

/// The details of the run whose screen is open.
void TopLoop::look_at_page() {
  const auto& page = state_.page();
  const auto* run =
      page.kind == PageKind::run && !was_removed(data_, page.run_id) ? find_run(data_, page.run_id) : nullptr;
  if (run == nullptr) {
    details_.reset();
    data_.details.reset();
    return;
  }
  if (!details_ || details_->run_id() != page.run_id) details_.emplace(*run);
  data_.details = details_->look(*run, page.rank, context_.system.clock.now());
}

Frame TopLoop::frame() const {
  auto frame = terminal_.frame();
  frame.now = context_.system.clock.now();
  return frame;
}

void TopLoop::draw() {
  if (auto end = actions_.look()) {
    state_.message = end->message;
    if (!end->lines.empty()) state_.notice = TopNotice{end->message, std::move(end->lines)};
    next_refresh_ = {};
  }
  const auto shown = frame();
  keep_in_view(data_, shown, state_);
  terminal_.draw(render_screen(state_, data_, shown));
}

void TopLoop::wait() {
  std::array<pollfd, 3> watched{
      {{STDIN_FILENO, POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}, {questions_.descriptor(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(next_refresh_ - now()).count();
  const auto timeout = unfinished_ ? 0 : std::clamp<std::int64_t>(left, 0, interval_.count());
  (void)poll(watched.data(), watched.size(), static_cast<int>(timeout));
  hung_up_ = (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
  if (watched[2].revents != 0) next_refresh_ = {};
}

TopLoop::Goes TopLoop::take_signals() {
  while (const auto signal = signals_.take())
    if (*signal != SIGCHLD) signal_ = *signal;  // TopActions looks whose end it was
  return signal_ == 0 ? Goes::on : Goes::out;
}

/// Ctrl-C was for the logs.
void TopLoop::drop_interrupts() {
  (void)take_signals();
  if (signal_ == SIGINT || signal_ == SIGQUIT) signal_ = 0;
}

void TopLoop::show_logs(const TopOrder& order) {
  terminal_.leave();
  const auto end = actions_.follow_logs(order);
  state_.message = end.problem;
  drop_interrupts();
  if (state_.message.empty() && !end.left && signal_ == 0) {
    context_.reporter.item({{}, {}, "\npress any key to go back\n"});
    context_.reporter.flush();
    while (signal_ == 0 && !wait_for_key(signals_.descriptor())) (void)take_signals();
    drop_interrupts();
  }
  terminal_.enter();
}

TopLoop::Goes TopLoop::take_keys() {
  bool any = false;
  while (const auto key = terminal_.take_key()) {
    any = true;
    if (*key == 0) continue;
    const auto order = take_key(*key, page_rows(state_, data_, frame()), data_, state_);
    if (order && obey(*order) == Goes::out) return Goes::out;
    if (!order) look_at_page();
  }
  const bool gone = hung_up_ && !any;  // the terminal
  return gone || signal_ != 0 ? Goes::out : Goes::on;
}

TopLoop::Goes TopLoop::obey(const TopOrder& order) {
  using enum TopOrder::Kind;
  switch (order.kind) {
    case quit:
      return Goes::out;
    case refresh:
      questions_.hurry();
      break;
    case follow_logs:
      show_logs(order);
      break;
    case cancel:
    case rerun:
      state_.message = actions_.start(order);
      break;
  }
  next_refresh_ = {};
  return Goes::on;
}

/// What the threads use must not go away under them, as it would with an exception.
Outcome run_safely(TopLoop& loop) {
  try {
    return loop.run();
  } catch (const std::exception& error) {
    return refuse({ExitCode::run_failed, error.what(), {}});
  }
}

}  // namespace

Outcome show_top(TopRequest request, Context& context) {
  auto terminal = CursesTerminal::open(colour_for(context.environment, STDOUT_FILENO));
  if (!terminal) return refuse(terminal.error());
  auto loop = std::make_unique<TopLoop>(std::move(request), **terminal, context);
  auto outcome = run_safely(*loop);
  terminal->reset();
  if (loop->stop() == StateQuestions::Stopped::yes) return outcome;
  if (!outcome) context.reporter.errors(outcome.error());
  context.reporter.flush();
  std::_Exit(static_cast<int>(
      outcome ? *outcome : worst_code(outcome.error())));  // a thread that waits for a host is not waited for
}

}  // namespace ddp::cli
