#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/timex.h>

#include <cerrno>
#include <cstring>

#include "cli/doctor/check.hpp"
#include "cli/doctor/clock_verdict.hpp"
#include "cli/output/count_text.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/probe/gpu_inventory.hpp"

namespace ddp::cli {
namespace {

ClockState read_clock_state() {
  timex clock{};
  if (adjtimex(&clock) < 0) return ClockState::unknown;
  return (clock.status & STA_UNSYNC) != 0 ? ClockState::unsynchronized : ClockState::synchronized;
}

/// A port that nobody uses, or errno as a negative number.
int bind_free_port() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.get(), generic, size) != 0 || getsockname(socket.get(), generic, &size) != 0) return -errno;
  return ntohs(address.sin_port);
}

}  // namespace

Finding check_clock(const CheckSubject&) {
  return judge_own_clock(read_clock_state());
}

Finding check_interfaces(const CheckSubject& subject) {
  auto names = subject.seams.system.host.resources().interfaces;
  if (std::ranges::any_of(names, [](const std::string& name) { return name != "lo"; }))
    return {.found = "up: " + join_words(names, ", ")};
  return {.verdict = subject.spec != nullptr && subject.spec->launcher->has_scheduler() ? Verdict::error
                                                                                        : Verdict::warning,
          .found = "no network interface is up, except the loopback",
          .advice = "other machines cannot be reached from here"};
}

Finding check_port(const CheckSubject&) {
  const int port = bind_free_port();
  if (port > 0) return {.found = fmt::format("port {} can be bound", port)};
  return {.verdict = Verdict::error,
          .found = fmt::format("no port can be bound: {}", std::strerror(-port)),
          .advice = "check net.ipv4.ip_local_port_range, and which programs use so many ports: ss -tanp"};
}

Finding check_gpus(const CheckSubject& subject) {
  const int devices = subject.seams.system.host.resources().gpus;
  const auto inventory = read_gpus("/proc/driver/nvidia");
  if (devices == 0 && inventory.driver.empty()) return {.found = "no NVIDIA GPU here"};
  if (inventory.driver.empty()) {
    return {.verdict = Verdict::warning,
            .found = fmt::format("{}, but the NVIDIA driver does not report its version",
                                 render_count(static_cast<std::size_t>(devices), "NVIDIA device")),
            .advice = "check that the kernel module nvidia is loaded"};
  }
  return {.found = fmt::format("driver {}, {}, {} of them usable here", inventory.driver,
                               render_count(inventory.uuids.size(), "GPU"), devices),
          .details = inventory.uuids};
}

}  // namespace ddp::cli
