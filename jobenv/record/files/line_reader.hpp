#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp {

/// Hands out the lines of a file one by one. Takes no more memory than its longest line, and of a line longer
/// than kLongestLine only the beginning. What is written behind the end that the file had when it was opened
/// may be left out.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  explicit LineReader(RegularFile file);

  /// The next line, without its end; valid until the next call. nullopt: there is no further line that has an
  /// end, or reading has failed.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Whether the line that next() has just given is longer than what it gave.
  [[nodiscard]] bool was_cut() const { return cut_; }
  /// What stands behind the last end of a line, once there is no further line.
  [[nodiscard]] std::string_view rest() const { return {buffer_.get() + begin_, size_ - begin_}; }
  /// Why reading has failed, an errno; 0: it has not.
  [[nodiscard]] int error() const { return error_; }

 private:
  [[nodiscard]] bool read_more();
  [[nodiscard]] std::string_view take(std::size_t end);

  RegularFile file_;
  std::uint64_t taken_ = 0;  // of the bytes of the file
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;    // of what has not been handed out
  std::size_t size_ = 0;     // of what is in the buffer
  std::size_t scanned_ = 0;  // up to here it holds no end of a line
  bool cut_ = false;
  int error_ = 0;
};

}  // namespace ddp
