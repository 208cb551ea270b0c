#include "tests/support/traced_child.hpp"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

namespace ddp {
namespace {

enum ChildCode { kReturned = 0, kThrew = 1, kNotTraceable = 2 };

[[noreturn]] void be_the_child(const std::function<void()>& body) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotTraceable);
  ::raise(SIGSTOP);
  try {
    body();
  } catch (...) {
    ::_exit(kThrew);
  }
  ::_exit(kReturned);
}

/// The tracer of one child, which stands still whenever a function here is called.
class Tracer {
 public:
  Tracer(pid_t child, const Intervention& intervene) : child_(child), intervene_(intervene) {}

  ChildEnd run() {
    wait();
    if (WIFEXITED(status_)) return ChildEnd::not_traceable;
    ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    while (true) {
      ::ptrace(PTRACE_SYSCALL, child_, nullptr, nullptr);
      wait();
      if (WIFSIGNALED(status_)) return ChildEnd::killed;
      if (WIFEXITED(status_)) return WEXITSTATUS(status_) == kReturned ? ChildEnd::returned : ChildEnd::threw;
      if (WSTOPSIG(status_) == (SIGTRAP | 0x80)) on_system_call();
    }
  }

 private:
  void wait() {
    if (::waitpid(child_, &status_, 0) != child_) throw std::runtime_error("the traced child is lost");
  }

  void on_system_call() {
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      on_entry(static_cast<long>(info.entry.nr));
    } else if (error_ > 0) {
      poke(offsetof(user_regs_struct, rax), -error_);
    }
  }

  void on_entry(long number) {
    error_ = intervene_({next_index_++, number});
    if (error_ == kKill) ::kill(child_, SIGKILL);
    if (error_ > 0) poke(offsetof(user_regs_struct, orig_rax), -1);  // no such call: nothing happens
  }

  void poke(std::size_t offset, long value) { ::ptrace(PTRACE_POKEUSER, child_, offset, value); }

  pid_t child_;
  const Intervention& intervene_;
  int status_ = 0;
  int next_index_ = 0;
  int error_ = 0;
};

}  // namespace

ChildEnd run_traced(const std::function<void()>& body, const Intervention& intervene) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) be_the_child(body);
  return Tracer(child, intervene).run();
}

}  // namespace ddp
