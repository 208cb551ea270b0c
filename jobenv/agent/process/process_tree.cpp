#include "jobenv/agent/process/process_tree.hpp"

#include <filesystem>
#include <sstream>
#include <string>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

void add_tree(pid_t pid, int generations, std::vector<pid_t>& tree) {
  tree.push_back(pid);
  if (generations == 0) return;
  for (const pid_t child : children_of(pid)) add_tree(child, generations - 1, tree);
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code error;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", error);
  for (const std::filesystem::directory_iterator end; !error && thread != end; thread.increment(error)) {
    std::istringstream text(load_proc_file(thread->path().string() + "/children"));
    for (pid_t child = 0; text >> child;) children.push_back(child);
  }
  return children;
}

std::string process_name(pid_t pid) {
  auto name = load_proc_file("/proc/" + std::to_string(pid) + "/comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::vector<pid_t> process_tree(pid_t pid, int generations) {
  std::vector<pid_t> tree;
  add_tree(pid, generations, tree);
  return tree;
}

}  // namespace ddp::agent
