#include "jobenv/agent/mpi/shared_segments.hpp"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "jobenv/agent/process/process_tree.hpp"

namespace ddp::agent {
namespace {

/// For a rank to map what it has just made, and for the others to follow.
constexpr std::chrono::milliseconds kShortestLookPause{20};
/// A look reads the maps of all processes of the ranks: it gets a tenth of the time at most.
constexpr int kPauseForTime = 10;

/// Of a regular file of this user; a symbolic link is none.
std::optional<struct stat> load_own_status(const std::filesystem::path& file) {
  struct stat status {};
  const bool own = lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  return own ? std::optional(status) : std::nullopt;
}

/// As /proc/PID/maps writes it. A container's own /dev/shm is another device.
std::string device_of(const struct stat& status) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x", major(status.st_dev), minor(status.st_dev));
  return text.data();
}

}  // namespace

SharedSegments::SharedSegments(EventLoop& loop, std::filesystem::path folder)
    : loop_(loop), folder_(std::move(folder)), pause_(kShortestLookPause) {
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
  alignas(inotify_event) std::array<char, 4096> events;
  bool has_news = false;
  for (ssize_t size = 0; (size = read(changes_.get(), events.data(), events.size())) > 0;) {
    for (const char* at = events.data(); at < events.data() + size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      has_news |= (event->mask & IN_Q_OVERFLOW) != 0 || (event->len > 0 && is_news(event->name));
      at += sizeof(inotify_event) + event->len;
    }
  }
  if (!has_news || std::exchange(look_due_, true)) return;
  look_ = loop_.after(pause_, [this] {
    look_due_ = false;
    look();
  });
}

/// Whether it may be a file of the ranks that no look has found yet.
bool SharedSegments::is_news(const std::string& name) const {
  const auto status = load_own_status(folder_ / name);
  return status && !earlier_.contains({status->st_dev, status->st_ino}) &&
         std::ranges::find(mapped_, status->st_ino, &MappedFile::inode) == mapped_.end();
}

void SharedSegments::look() {
  const auto begin = std::chrono::steady_clock::now();
  for (const pid_t rank : processes_) {
    for (const pid_t pid : process_tree(rank)) {
      for (MappedFile& file : mapped_files(pid)) {
        if (std::filesystem::path(file.path).parent_path() == folder_) mapped_.insert(std::move(file));
      }
    }
  }
  const auto taken = std::chrono::steady_clock::now() - begin;
  pause_ = std::max(kShortestLookPause,
                    std::chrono::duration_cast<std::chrono::milliseconds>(kPauseForTime * taken));
}

void SharedSegments::remove() {
  for (const MappedFile& file : mapped_) {
    const auto status = load_own_status(file.path);
    const bool same = status && status->st_ino == file.inode && device_of(*status) == file.device;
    if (same && !earlier_.contains({status->st_dev, status->st_ino})) unlink(file.path.c_str());
  }
  mapped_.clear();
  processes_.clear();
}

}  // namespace ddp::agent
