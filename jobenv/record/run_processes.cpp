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

/// A container may have others, which are no processes of this host.
std::filesystem::path network_of(const std::string& pid) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + pid + "/ns/net", error);
}

/// An agent has the folder alone in its environment.
bool is_of_rank(int pid, const std::string& run_dir) {
  const auto environment = '\0' + load_proc_file("/proc/" + std::to_string(pid) + "/environ");
  const auto has = [&environment](const std::string& text) {
    return environment.find('\0' + text) != environment.npos;
  };
  return has("DDPSUBMIT_RUN_DIR=" + run_dir + '\0') && has("DDPSUBMIT_RANK=");
}

}  // namespace

std::vector<int> find_rank_processes(const std::string& run_dir) {
  const auto own = own_line();
  const auto own_network = network_of("self");
  std::vector<int> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = number_of(entry->path().filename());
    if (!pid || own.contains(*pid) || !is_of_rank(*pid, run_dir)) continue;
    if (network_of(std::to_string(*pid)) == own_network) found.push_back(*pid);
  }
  std::ranges::sort(found);
  return found;
}

Expected<void> await_no_rank_processes(const std::string& run_dir, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto found = find_rank_processes(run_dir);
  while (!found.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kBetweenLooks);
    found = find_rank_processes(run_dir);
  }
  if (found.empty()) return {};
  std::string pids;
  for (const int pid : found) pids += ' ' + std::to_string(pid);
  return fail(ExitCode::still_running, "processes of an earlier attempt are still running:" + pids,
              "end them: kill -9" + pids + "; then try again");
}

}  // namespace ddp
