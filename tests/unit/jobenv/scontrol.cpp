#include "tests/unit/jobenv/scontrol.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ddp {
namespace {

std::string find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (const std::string file = folder + "/" + name; access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Scontrol::Scontrol() : program_(find_in_path("scontrol")) {
  std::ofstream(folder_ / "slurm.conf") << "ClusterName=test\nSlurmctldHost=localhost\n";
}

std::vector<std::string> Scontrol::show(const std::string& topic, const std::string& list) const {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::string config = "SLURM_CONF=" + (folder_ / "slurm.conf").string();
  std::string show = "show";
  std::string topic_argument = topic;
  std::string list_argument = list;
  std::string program = program_;
  std::array<char*, 5> argv = {program.data(), show.data(), topic_argument.data(), list_argument.data(),
                               nullptr};
  std::array<char*, 2> env = {config.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::istringstream output(error == 0 ? read_all(ends[0]) : "");
  close(ends[0]);
  if (error != 0 || waitpid(pid, nullptr, 0) != pid) throw std::runtime_error("cannot run " + program);
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) lines.push_back(line);
  return lines;
}

}  // namespace ddp
