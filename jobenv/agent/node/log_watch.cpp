#include "jobenv/agent/node/log_watch.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

namespace ddp::agent {
namespace {

/// The rank itself may not have opened it yet.
FileDescriptor open_log(const std::filesystem::path& path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  struct stat status {};
  const bool is_log = file.is_open() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  return is_log ? std::move(file) : FileDescriptor();
}

/// With fstat, NFS would first send what the rank has printed to the server, and this would wait for it.
std::uint64_t load_size(const FileDescriptor& file, std::uint64_t otherwise) {
  struct statx status {};
  const int failed = statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_SIZE, &status);
  return failed == 0 ? status.stx_size : otherwise;
}

void drain(const FileDescriptor& changes) {
  std::array<char, 4096> buffer;
  while (read(changes.get(), buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

void LogWatch::watch(const RunFolder& folder, int attempt, int rank) {
  Rank watched{.out = open_log(folder.out(attempt, rank)),
               .err = open_log(folder.err(attempt, rank)),
               .path = folder.log_order(attempt, rank)};
  if (!watched.out.is_open() || !watched.err.is_open()) return;
  if (ranks_.empty()) begin();
  ranks_.insert_or_assign(rank, std::move(watched));
  if (!next_look_) next_look_ = loop_.after({}, [this] { look(); });
}

void LogWatch::begin() {
  changes_ = FileDescriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!changes_.is_open()) return;
  const auto watch = loop_.watch(changes_.get(), 0, [this](std::uint32_t) { look(); });
  if (watch) waiting_ = *watch;
}

/// A change that comes after the size was read wakes it once more: it is asked for before.
void LogWatch::look() {
  if (next_look_) loop_.cancel(*std::exchange(next_look_, std::nullopt));
  if (waiting_) {
    drain(changes_);
    loop_.change(*waiting_, 0);
  }
  auto logs = Logs::same;
  for (auto& [number, rank] : ranks_) {
    if (!ask_for_changes(rank)) logs = Logs::changed;  // it would not be heard of
    if (look_at(rank) == Logs::changed) logs = Logs::changed;
  }
  if (logs == Logs::same && waiting_) return loop_.change(*waiting_, EPOLLIN);
  next_look_ = loop_.after(LogTurns::kPause, [this] { look(); });
}

/// Once, so that the kernel need not keep the changes of a rank that prints much.
bool LogWatch::ask_for_changes(const Rank& rank) const {
  if (!waiting_) return true;
  bool asked = true;
  for (const auto* log : {&rank.out, &rank.err}) {
    const auto path = "/proc/self/fd/" + std::to_string(log->get());
    asked &= inotify_add_watch(changes_.get(), path.c_str(), IN_MODIFY | IN_ONESHOT) >= 0;
  }
  return asked;
}

std::uint64_t LogWatch::printed(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? 0 : found->second.sizes.out + found->second.sizes.err;
}

LogWatch::Logs LogWatch::look_at(Rank& rank) {
  // In this order: what the log of stderr holds then is not younger than what is missed of stdout.
  const auto err = load_size(rank.err, rank.sizes.err);
  const LogSizes sizes{load_size(rank.out, rank.sizes.out), err};
  if (sizes == rank.sizes) return Logs::same;
  rank.sizes = sizes;
  if (const auto turn = rank.turns.look(sizes, std::chrono::steady_clock::now())) note(rank, *turn);
  return Logs::changed;
}

/// Without it the order is less exact: that is no failure of the run.
void LogWatch::note(Rank& rank, const LogSizes& sizes) {
  if (!rank.notes.is_open())
    rank.notes = FileDescriptor(
        open(rank.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600));
  if (rank.notes.is_open())
    (void)write_all(rank.notes.get(), render_log_point(std::chrono::system_clock::now(), sizes));
}

void LogWatch::forget(int rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;
  (void)look_at(found->second);
  ranks_.erase(found);
  if (ranks_.empty()) forget_all();
}

void LogWatch::forget_all() {
  ranks_.clear();
  if (next_look_) loop_.cancel(*std::exchange(next_look_, std::nullopt));
  if (waiting_) loop_.forget(*std::exchange(waiting_, std::nullopt));
  changes_ = FileDescriptor();
}

}  // namespace ddp::agent
