#include "jobenv/record/signal_name.hpp"

#include <algorithm>
#include <array>
#include <csignal>

namespace ddp {
namespace {

struct NamedSignal {
  int number;
  std::string_view name;
};

/// Those of Linux; sigabbrev_np() needs glibc 2.32.
constexpr std::array kSignals{
    NamedSignal{SIGHUP, "HUP"},       NamedSignal{SIGINT, "INT"},       NamedSignal{SIGQUIT, "QUIT"},
    NamedSignal{SIGILL, "ILL"},       NamedSignal{SIGTRAP, "TRAP"},     NamedSignal{SIGABRT, "ABRT"},
    NamedSignal{SIGBUS, "BUS"},       NamedSignal{SIGFPE, "FPE"},       NamedSignal{SIGKILL, "KILL"},
    NamedSignal{SIGUSR1, "USR1"},     NamedSignal{SIGSEGV, "SEGV"},     NamedSignal{SIGUSR2, "USR2"},
    NamedSignal{SIGPIPE, "PIPE"},     NamedSignal{SIGALRM, "ALRM"},     NamedSignal{SIGTERM, "TERM"},
    NamedSignal{SIGSTKFLT, "STKFLT"}, NamedSignal{SIGCHLD, "CHLD"},     NamedSignal{SIGCONT, "CONT"},
    NamedSignal{SIGSTOP, "STOP"},     NamedSignal{SIGTSTP, "TSTP"},     NamedSignal{SIGTTIN, "TTIN"},
    NamedSignal{SIGTTOU, "TTOU"},     NamedSignal{SIGURG, "URG"},       NamedSignal{SIGXCPU, "XCPU"},
    NamedSignal{SIGXFSZ, "XFSZ"},     NamedSignal{SIGVTALRM, "VTALRM"}, NamedSignal{SIGPROF, "PROF"},
    NamedSignal{SIGWINCH, "WINCH"},   NamedSignal{SIGPOLL, "POLL"},     NamedSignal{SIGPWR, "PWR"},
    NamedSignal{SIGSYS, "SYS"},
};

}  // namespace

std::string signal_name(int signal) {
  const auto known = std::ranges::find(kSignals, signal, &NamedSignal::number);
  if (known != kSignals.end()) return std::string(known->name);
  if (signal == SIGRTMIN) return "RTMIN";
  if (signal > SIGRTMIN && signal <= SIGRTMAX) return "RTMIN+" + std::to_string(signal - SIGRTMIN);
  return "signal " + std::to_string(signal);
}

Expected<int> parse_signal(std::string_view name) {
  const std::string_view bare = name.starts_with("SIG") ? name.substr(3) : name;
  const auto known = std::ranges::find(kSignals, bare, &NamedSignal::name);
  if (known != kSignals.end()) return known->number;
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    if (signal_name(signal) == bare) return signal;
  }
  return fail(ExitCode::config_invalid, "'" + std::string(name) + "' is not the name of a signal",
              "names are written like USR2, SIGUSR2 or RTMIN+1");
}

}  // namespace ddp
