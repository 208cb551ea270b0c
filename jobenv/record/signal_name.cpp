#include "jobenv/record/signal_name.hpp"

#include <csignal>
#include <cstring>

namespace ddp {

std::string signal_name(int signal) {
  if (const char* name = sigabbrev_np(signal); name != nullptr) return name;
  if (signal == SIGRTMIN) return "RTMIN";
  if (signal > SIGRTMIN && signal <= SIGRTMAX) return "RTMIN+" + std::to_string(signal - SIGRTMIN);
  return "signal " + std::to_string(signal);
}

Expected<int> parse_signal(std::string_view name) {
  const std::string_view bare = name.starts_with("SIG") ? name.substr(3) : name;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const bool has_name = sigabbrev_np(signal) != nullptr || signal >= SIGRTMIN;
    if (has_name && signal_name(signal) == bare) return signal;
  }
  return fail(ExitCode::config_invalid, "'" + std::string(name) + "' is not the name of a signal",
              "names are written like USR2, SIGUSR2 or RTMIN+1");
}

}  // namespace ddp
