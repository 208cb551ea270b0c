#pragma once

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/mapped_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// The files in /dev/shm that ranks share: those that killed ranks leave behind take memory until the host
/// boots again. Knows which processes have mapped which; what was there before, was mapped by nobody here, or
/// lies in a folder there, as MPI's files do not, is never touched.
class SharedSegments {
 public:
  /// Looks at what is in `folder` now: no rank may run yet. `loop` must outlive this.
  explicit SharedSegments(EventLoop& loop, std::filesystem::path folder = "/dev/shm");
  SharedSegments(const SharedSegments&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;
  ~SharedSegments();

  /// `pid` and its descendants.
  void watch(pid_t pid) { processes_.insert(pid); }
  void forget(pid_t pid) { processes_.erase(pid); }

  /// Notes what they have mapped now. Also called after a file of this user is made in the folder or closed,
  /// but for a tenth of the time at most.
  void look();

  /// Removes what they had mapped and is still there. They are gone.
  void remove();

 private:
  void begin_watch();
  void on_change();
  [[nodiscard]] bool is_news(const std::string& name) const;

  EventLoop& loop_;
  std::filesystem::path folder_;
  std::set<std::pair<dev_t, ino_t>> earlier_;
  std::set<pid_t> processes_;
  std::set<MappedFile> mapped_;
  FileDescriptor changes_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId look_ = 0;
  bool look_due_ = false;
  std::chrono::milliseconds pause_;  ///< before the next look
};

}  // namespace ddp::agent
