#include "jobenv/agent/mpi/lone_mpi_watch.hpp"

#include <optional>

#include "jobenv/agent/mpi/mpi_library.hpp"
#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr std::chrono::seconds kLongestLonePause{20};

/// Of a rank, or of what it has started.
std::optional<MpiLibrary> find_lone_library(pid_t rank) {
  for (const pid_t pid : process_tree(rank)) {
    const auto library = find_mpi_library(mapped_files(pid));
    if (!library) continue;
    const auto environment = load_proc_file("/proc/" + std::to_string(pid) + "/environ");
    if (!environment.empty() && !has_process_manager(environment, library->flavour)) return library;
  }
  return std::nullopt;
}

}  // namespace

void LoneMpiWatch::watch(int rank, pid_t pid, std::chrono::milliseconds first_pause) {
  ranks_[rank] = pid;
  loop_.cancel(timer_);
  pause_ = first_pause;
  timer_ = loop_.after(pause_, [this] { look(); });
}

void LoneMpiWatch::forget_all() {
  ranks_.clear();
  loop_.cancel(timer_);
}

void LoneMpiWatch::look() {
  std::vector<LoneMpiRank> found;
  for (const auto& [rank, pid] : ranks_) {
    if (const auto library = find_lone_library(pid)) found.push_back({rank, library->flavour, library->path});
  }
  for (const LoneMpiRank& lone : found) ranks_.erase(lone.rank);
  pause_ = std::min<std::chrono::milliseconds>(2 * pause_, kLongestLonePause);
  if (!ranks_.empty()) timer_ = loop_.after(pause_, [this] { look(); });
  for (const LoneMpiRank& lone : found) report_(lone);
}

}  // namespace ddp::agent
