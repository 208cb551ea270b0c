#include "jobenv/record/run_processes.hpp"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <string_view>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp {
namespace {

/// 0: there is none.
int parent_of(int pid) {
  const auto stat = load_proc_file("/proc/" + std::to_string(pid) + "/stat");
  const auto behind_name = stat.rfind(')');  // "… (name) S 4711 …"
  if (behind_name == stat.npos || stat.size() < behind_name + 4) return 0;
  const auto text = stat.substr(behind_name + 4);
  return static_cast<int>(parse_whole_number(text.substr(0, text.find(' '))).value_or(0));
}

std::set<int> own_line() {
  std::set<int> line;
  for (int pid = getpid(); pid > 0 && line.insert(pid).second; pid = parent_of(pid)) continue;
  return line;
}

/// Processes in a container may have another network: they do not count as processes of this host.
std::filesystem::path network_of(const std::string& pid) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + pid + "/ns/net", error);
}

/// Of a rank, or of what a rank has started; empty: it is neither. An agent has the folder alone in its
/// environment.
std::string run_dir_of_rank(int pid) {
  using namespace std::string_view_literals;
  constexpr auto kFolder = "\0DDPSUBMIT_RUN_DIR="sv;
  constexpr auto kRank = "\0DDPSUBMIT_RANK="sv;
  const auto environment = '\0' + load_proc_file("/proc/" + std::to_string(pid) + "/environ");
  const auto folder = environment.find(kFolder);
  if (folder == environment.npos || environment.find(kRank) == environment.npos) return {};
  return environment.c_str() + folder + kFolder.size();
}

/// The run folders of all processes of ranks, by their numbers.
std::map<int, std::string> find_all_ranks() {
  const auto own = own_line();
  const auto own_network = network_of("self");
  std::map<int, std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto number = parse_whole_number(entry->path().filename().string());
    const int pid = static_cast<int>(number.value_or(0));
    if (pid == 0 || own.contains(pid)) continue;
    auto run_dir = run_dir_of_rank(pid);
    if (!run_dir.empty() && network_of(std::to_string(pid)) == own_network) found[pid] = std::move(run_dir);
  }
  return found;
}

}  // namespace

std::vector<int> find_rank_processes(const std::set<std::string>& run_dirs) {
  std::vector<int> found;
  for (const auto& [pid, run_dir] : find_all_ranks())
    if (run_dirs.contains(run_dir)) found.push_back(pid);
  return found;
}

std::set<std::string> find_runs_with_ranks() {
  std::set<std::string> found;
  for (auto& [pid, run_dir] : find_all_ranks()) found.insert(run_dir);
  return found;
}

}  // namespace ddp
