#include "jobenv/agent/process/process_usage.hpp"

#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

// Fields of /proc/PID/stat, counted from the one behind the name: proc(5) has them two higher.
constexpr std::size_t kUserTime = 11;
constexpr std::size_t kSystemTime = 12;
constexpr std::size_t kChildrenUserTime = 13;
constexpr std::size_t kChildrenSystemTime = 14;
constexpr std::size_t kResidentPages = 21;

std::chrono::milliseconds from_ticks(long long ticks) {
  static const long per_second = sysconf(_SC_CLK_TCK);
  return std::chrono::milliseconds(ticks * 1000 / per_second);
}

std::string proc_path(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

/// "rchar: 4292", and so on: what read(2) and write(2) have moved, and what the disk had to.
std::uint64_t load_io_bytes_of(pid_t pid) {
  std::istringstream lines(load_proc_file(proc_path(pid) + "/io"));
  std::string name;
  std::uint64_t sum = 0;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "rchar:" || name == "wchar:" || name == "read_bytes:") sum += value;
  }
  return sum;
}

}  // namespace

ProcessUsage parse_process_usage(std::string_view stat) {
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return {};
  std::istringstream fields(std::string(stat.substr(name_end + 2)));
  std::array<long long, kResidentPages + 1> numbers{};
  std::string state;
  fields >> state;
  for (std::size_t i = 1; i < numbers.size(); ++i) fields >> numbers[i];
  if (!fields) return {};
  return {from_ticks(numbers[kUserTime] + numbers[kSystemTime] + numbers[kChildrenUserTime] +
                     numbers[kChildrenSystemTime]),
          static_cast<std::uint64_t>(numbers[kResidentPages]) *
              static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
}

ProcessUsage load_usage(std::span<const pid_t> processes) {
  ProcessUsage sum;
  for (const pid_t pid : processes) {
    const auto own = parse_process_usage(load_proc_file(proc_path(pid) + "/stat"));
    sum.cpu += own.cpu;
    sum.memory_bytes += own.memory_bytes;
  }
  return sum;
}

std::uint64_t load_io_bytes(std::span<const pid_t> processes) {
  std::uint64_t sum = 0;
  for (const pid_t pid : processes) sum += load_io_bytes_of(pid);
  return sum;
}

}  // namespace ddp::agent
