#include "trainer/app/last_words.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "jobenv/config/utf8.hpp"

namespace ddp::trainer {
namespace {

std::atomic<int> rank_of_process = 0;

[[noreturn]] void leave_with_exception() {
  const std::exception_ptr uncaught = std::current_exception();
  if (!uncaught) std::abort();
  leave(rank_of_process, describe_failure(uncaught));
}

}  // namespace

void leave(int rank, const Failure& failure, const std::function<void()>& settle) {
  std::fflush(stdout);
  std::fprintf(stderr, "[rank %d] %s\n", rank, escape_control_characters(failure.message).c_str());
  settle();
  std::fflush(stdout);
  std::_Exit(failure.exit_code);
}

void leave_when_uncaught(int rank) {
  rank_of_process = rank;
  std::set_terminate(leave_with_exception);
}

}  // namespace ddp::trainer
