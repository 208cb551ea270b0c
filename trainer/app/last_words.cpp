#include "trainer/app/last_words.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "jobenv/config/utf8.hpp"

namespace ddp::trainer {
namespace {

/// For who has nobody to catch an exception.
struct {
  int rank = 0;
  std::function<void()> settle;
} of_process;

std::atomic<bool> process_leaves = false;
thread_local bool this_thread_leaves = false;

/// Returns to one thread alone, the first: the process ends as that says. What settles a failure may fail
/// itself.
void take_the_last_word(int exit_code) {
  if (this_thread_leaves) std::_Exit(exit_code);
  this_thread_leaves = true;
  if (!process_leaves.exchange(true)) return;
  for (;;) pause();
}

/// All lines but the first are indented: find_last_words() takes the first one for the cause.
std::string indent_details(std::string_view message) {
  std::string text;
  for (const char letter : message) {
    text += letter;
    if (letter == '\n') text += "  ";
  }
  return text;
}

void tell(int rank, const Failure& failure) {
  const std::string message = indent_details(escape_control_characters(failure.message));
  std::fprintf(stderr, "[rank %d] %s\n", rank, message.c_str());
}

// Leaves stdout alone: a main thread that waits for a full pipe holds its lock.
[[noreturn]] void leave_with_exception() {
  const std::exception_ptr uncaught = std::current_exception();
  if (!uncaught) std::abort();
  const Failure failure = describe_failure(uncaught);
  take_the_last_word(failure.exit_code);
  tell(of_process.rank, failure);
  of_process.settle();
  std::_Exit(failure.exit_code);
}

}  // namespace

void leave(int rank, const Failure& failure, const std::function<void()>& settle) {
  take_the_last_word(failure.exit_code);
  std::fflush(stdout);
  tell(rank, failure);
  settle();
  std::fflush(stdout);
  std::_Exit(failure.exit_code);
}

void leave_when_uncaught(int rank, std::function<void()> settle) {
  of_process = {rank, std::move(settle)};
  std::set_terminate(leave_with_exception);
}

}  // namespace ddp::trainer
