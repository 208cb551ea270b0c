#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/mapped_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// The files in /dev/shm that ranks share: those that killed ranks leave behind take memory until the host
/// boots again. Knows which processes have mapped which; what was there before, or was mapped by nobody here,
/// is never touched.
class SharedSegments {
 public:
  /// Looks at what is in `folder` now: no rank may run yet. `loop` must outlive this.
  explicit SharedSegments(EventLoop& loop, std::filesystem::path folder = "/dev/shm");
  SharedSegments(const SharedSegments&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;
  ~SharedSegments();

  /// `pid` and its descendants.
  void watch(pid_t pid) { processes_.push_back(pid); }

  /// Notes what they have mapped now. Also called whenever a file in the folder is made or closed.
  void look();

  /// Removes what they had mapped and is still there. They are gone.
  void remove();

 private:
  void begin_watch();
  void on_change();

  EventLoop& loop_;
  std::filesystem::path folder_;
  std::set<std::pair<dev_t, ino_t>> earlier_;
  std::vector<pid_t> processes_;
  std::set<MappedFile> mapped_;
  FileDescriptor changes_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId look_ = 0;
  bool look_due_ = false;
};

}  // namespace ddp::agent
