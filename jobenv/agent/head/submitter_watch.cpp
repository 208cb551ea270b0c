#include "jobenv/agent/head/submitter_watch.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ddp::agent {

Expected<void> SubmitterWatch::begin() {
  const auto watch = loop_.watch(descriptor_, EPOLLIN, [this](std::uint32_t) { on_readable(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  return {};
}

void SubmitterWatch::tell(const std::string& words) const {
  (void)send(descriptor_, words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// What it says means nothing; its end does.
void SubmitterWatch::on_readable() {
  char byte = 0;
  const ssize_t size = read(descriptor_, &byte, 1);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size > 0) return;
  loop_.forget(watch_);
  on_gone_();
}

}  // namespace ddp::agent
