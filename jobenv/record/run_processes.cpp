#include "jobenv/record/run_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

/// 0: there is none.
int parent_of(int pid) {
  const auto stat = load_proc_file("/proc/" + std::to_string(pid) + "/stat");
  const auto behind_name = stat.rfind(')');  // "… (name) S 4711 …"
  if (behind_name == stat.npos || stat.size() < behind_name + 4) return 0;
  const auto text = stat.substr(behind_name + 4);
  return number_of(text.substr(0, text.find(' '))).value_or(0);
}

std::set<int> own_line() {
  std::set<int> line;
  for (int pid = getpid(); pid > 0 && line.insert(pid).second; pid = parent_of(pid)) continue;
  return line;
}

bool has_variable(int pid, const std::string& variable) {
  const auto environment = '\0' + load_proc_file("/proc/" + std::to_string(pid) + "/environ");
  return environment.find('\0' + variable + '\0') != environment.npos;
}

}  // namespace

std::vector<int> find_run_processes(const std::string& run_dir) {
  const auto own = own_line();
  std::vector<int> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = number_of(entry->path().filename());
    if (pid && !own.contains(*pid) && has_variable(*pid, "DDPSUBMIT_RUN_DIR=" + run_dir))
      found.push_back(*pid);
  }
  std::ranges::sort(found);
  return found;
}

Expected<void> await_no_run_processes(const std::string& run_dir, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto found = find_run_processes(run_dir);
  while (!found.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kBetweenLooks);
    found = find_run_processes(run_dir);
  }
  if (found.empty()) return {};
  std::string pids;
  for (const int pid : found) pids += ' ' + std::to_string(pid);
  return fail(ExitCode::still_running, "processes of an earlier attempt are still running:" + pids,
              "end them: kill -9" + pids + "; then try again");
}

}  // namespace ddp
