#include "jobenv/agent/pmi/shared_segments.hpp"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "jobenv/agent/process/process_tree.hpp"

namespace ddp::agent {
namespace {

/// For a rank to map what it has just made, and for the others to follow.
constexpr std::chrono::milliseconds kLookPause{20};

/// Of a regular file of this user; a symbolic link is none.
std::optional<struct stat> load_own_status(const std::filesystem::path& file) {
  struct stat status {};
  const bool own = lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  return own ? std::optional(status) : std::nullopt;
}

}  // namespace

SharedSegments::SharedSegments(EventLoop& loop, std::filesystem::path folder)
    : loop_(loop), folder_(std::move(folder)) {
  begin_watch();
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end;
       file.increment(error)) {
    if (const auto status = load_own_status(file->path())) earlier_.emplace(status->st_dev, status->st_ino);
  }
}

SharedSegments::~SharedSegments() {
  loop_.forget(watch_);
  loop_.cancel(look_);
}

/// Without inotify the looks that others ask for must do.
void SharedSegments::begin_watch() {
  changes_ = FileDescriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (inotify_add_watch(changes_.get(), folder_.c_str(), IN_CREATE | IN_CLOSE) < 0) return;
  if (const auto watch = loop_.watch(changes_.get(), EPOLLIN, [this](std::uint32_t) { on_change(); }))
    watch_ = *watch;
}

void SharedSegments::on_change() {
  std::array<char, 4096> events;
  while (read(changes_.get(), events.data(), events.size()) > 0) continue;
  if (std::exchange(look_due_, true)) return;
  look_ = loop_.after(kLookPause, [this] {
    look_due_ = false;
    look();
  });
}

void SharedSegments::look() {
  const std::string prefix = folder_.string() + "/";
  for (const pid_t rank : processes_) {
    for (const pid_t pid : process_tree(rank)) {
      for (MappedFile& file : mapped_files(pid)) {
        if (file.path.starts_with(prefix)) mapped_.insert(std::move(file));
      }
    }
  }
}

void SharedSegments::remove() {
  for (const MappedFile& file : mapped_) {
    const auto status = load_own_status(file.path);
    const bool same =
        status && status->st_ino == file.inode && !earlier_.contains({status->st_dev, status->st_ino});
    if (same) unlink(file.path.c_str());
  }
  mapped_.clear();
  processes_.clear();
}

}  // namespace ddp::agent
