#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/system/folder_probe.hpp"
#include "cli/system/machine.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// One process, told apart from every later one that gets the same number on the same or another host.
struct ProcessId {
  std::string host;
  std::string boot_id;
  int pid = 0;
  std::uint64_t start = 0;  ///< field 22 of /proc/PID/stat; 0: not known

  bool operator==(const ProcessId&) const = default;
};

/// Whether a process lives, as far as this machine can tell.
enum class Liveness { alive, dead, elsewhere };

/// The machine that ddpsubmit runs on, and its processes.
class Host {
 public:
  virtual ~Host() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string user() const = 0;
  [[nodiscard]] virtual std::string boot_id() const = 0;
  /// What it has for the ranks of a run.
  [[nodiscard]] virtual MachineResources resources() const = 0;
  [[nodiscard]] virtual FolderProbe probe(const std::filesystem::path& folder) const = 0;
  /// Start time of a process in clock ticks since boot; nullopt when there is none, or only a zombie of it.
  [[nodiscard]] virtual std::optional<std::uint64_t> start_of(int pid) const = 0;
  /// Through it the process can be signalled, and watched where tells_end says so.
  [[nodiscard]] virtual Expected<FileDescriptor> open_process(int pid) const = 0;
  [[nodiscard]] virtual Expected<void> signal(const FileDescriptor& process, int signal) const = 0;
  /// As find_rank_processes.
  [[nodiscard]] virtual std::vector<int> rank_processes(const std::set<std::string>& run_dirs) const = 0;
};

class RealHost final : public Host {
 public:
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string user() const override;
  [[nodiscard]] std::string boot_id() const override;
  [[nodiscard]] MachineResources resources() const override { return measure_machine(); }
  [[nodiscard]] FolderProbe probe(const std::filesystem::path& folder) const override {
    return probe_folder(folder);
  }
  [[nodiscard]] std::optional<std::uint64_t> start_of(int pid) const override;
  [[nodiscard]] Expected<FileDescriptor> open_process(int pid) const override;
  [[nodiscard]] Expected<void> signal(const FileDescriptor& process, int signal) const override;
  [[nodiscard]] std::vector<int> rank_processes(const std::set<std::string>& run_dirs) const override;
};

/// `elsewhere` when the process belongs to another host.
[[nodiscard]] Liveness liveness_of(const ProcessId& process, const Host& host);

/// As Host::open_process, of this process and none that got its number later; ExitCode::not_found when it is
/// gone.
[[nodiscard]] Expected<FileDescriptor> open_process(const ProcessId& process, const Host& host);

}  // namespace ddp::cli
