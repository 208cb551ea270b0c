#include "jobenv/agent/process/process_usage.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr int kDeepest = 16;

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
std::uint64_t load_io_bytes(pid_t pid) {
  std::istringstream lines(load_proc_file(proc_path(pid) + "/io"));
  std::string name;
  std::uint64_t sum = 0;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "rchar:" || name == "wchar:" || name == "read_bytes:") sum += value;
  }
  return sum;
}

std::uint64_t load_tree_io(pid_t pid, int depth) {
  std::uint64_t sum = load_io_bytes(pid);
  if (depth == kDeepest) return sum;
  for (const pid_t child : children_of(pid)) sum += load_tree_io(child, depth + 1);
  return sum;
}

void add_tree(pid_t pid, int depth, ProcessUsage& sum) {
  const auto own = parse_process_usage(load_proc_file(proc_path(pid) + "/stat"));
  sum.cpu += own.cpu;
  sum.memory_bytes += own.memory_bytes;
  if (depth == kDeepest) return;
  for (const pid_t child : children_of(pid)) add_tree(child, depth + 1, sum);
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

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code error;
  std::filesystem::directory_iterator thread(proc_path(pid) + "/task", error);
  for (const std::filesystem::directory_iterator end; !error && thread != end; thread.increment(error)) {
    std::istringstream text(load_proc_file(thread->path().string() + "/children"));
    for (pid_t child = 0; text >> child;) children.push_back(child);
  }
  return children;
}

std::uint64_t load_tree_io(pid_t pid) {
  return load_tree_io(pid, 0);
}

ProcessUsage load_tree_usage(pid_t pid) {
  ProcessUsage sum;
  add_tree(pid, 0, sum);
  return sum;
}

}  // namespace ddp::agent
