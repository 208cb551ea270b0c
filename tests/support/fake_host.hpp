#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cli/system/host.hpp"

namespace ddp::cli {

/// A machine with the processes that a test puts on it.
class FakeHost : public Host {
 public:
  std::map<int, std::uint64_t> processes;  ///< pid -> start time
  mutable std::vector<int> signals;        ///< that were sent, in order
  mutable int looks_for_ranks = 0;
  std::map<std::string, std::vector<int>> ranks;  ///< by run folder
  std::string host_name = "here";
  std::string boot = "boot-1";
  FolderProbe run_root{.existing = "/", .problem = {}, .file_system = "nfs", .sharing = Sharing::shared};
  MachineResources has{///< no GPU, and plenty of everything else
                       .gpus = 0,
                       .cpus = 64,
                       .memory_bytes = std::uint64_t{1} << 40,
                       .interfaces = {"lo", "eth0"}};

  [[nodiscard]] std::string name() const override { return host_name; }
  [[nodiscard]] std::string user() const override { return "somebody"; }
  [[nodiscard]] std::string boot_id() const override { return boot; }
  [[nodiscard]] MachineResources resources() const override { return has; }
  [[nodiscard]] FolderProbe probe(const std::filesystem::path&) const override { return run_root; }
  [[nodiscard]] std::optional<std::uint64_t> start_of(int pid) const override {
    const auto found = processes.find(pid);
    return found == processes.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] Expected<FileDescriptor> open_process(int pid) const override {
    if (!processes.contains(pid)) return fail(ExitCode::not_found, "no such process");
    return FileDescriptor();
  }
  [[nodiscard]] Expected<void> signal(const FileDescriptor&, int signal) const override {
    signals.push_back(signal);
    return {};
  }
  [[nodiscard]] std::vector<int> rank_processes(const std::set<std::string>& run_dirs) const override {
    ++looks_for_ranks;
    std::vector<int> found;
    for (const auto& [folder, pids] : ranks)
      if (run_dirs.contains(folder)) found.insert(found.end(), pids.begin(), pids.end());
    return found;
  }
};

}  // namespace ddp::cli
