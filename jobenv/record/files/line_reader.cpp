#include "jobenv/record/files/line_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ddp {
namespace {

constexpr std::size_t kFirstCapacity = std::size_t{64} << 10;

}  // namespace

LineReader::LineReader(RegularFile file)
    : file_(std::move(file)),
      capacity_(kFirstCapacity),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

std::optional<std::string_view> LineReader::next() {
  cut_ = false;
  while (true) {
    const void* end = memchr(buffer_.get() + scanned_, '\n', size_ - scanned_);
    if (end != nullptr) return take(static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.get()));
    scanned_ = size_;
    if (!read_more()) return std::nullopt;
  }
}

/// `end`: where the end of the line stands.
std::string_view LineReader::take(std::size_t end) {
  cut_ = cut_ || end - begin_ > kLongestLine;
  const std::string_view line(buffer_.get() + begin_, std::min(end - begin_, kLongestLine));
  begin_ = scanned_ = end + 1;
  return line;
}

/// Makes room first: before what has been handed out, in a larger buffer, or, where the line is too long, at
/// the expense of what follows its beginning.
bool LineReader::read_more() {
  if (taken_ > 0 && taken_ >= file_.size) return false;  // no further read has to tell it
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, size_ - begin_);
    size_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (size_ == capacity_ && capacity_ >= 2 * kLongestLine) {
    cut_ = true;
    size_ = scanned_ = kLongestLine;
  } else if (size_ == capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_);
    std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  }
  ssize_t got = 0;
  do {
    got = read(file_.descriptor.get(), buffer_.get() + size_, capacity_ - size_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) error_ = errno;
  if (got <= 0) return false;
  size_ += static_cast<std::size_t>(got);
  taken_ += static_cast<std::size_t>(got);
  return true;
}

}  // namespace ddp
