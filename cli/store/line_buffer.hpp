#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

/// Makes lines of the bytes that a program prints. A line that the program rewrites, as a progress bar does
/// with carriage returns, is only what it was last.
class LineBuffer {
 public:
  /// Adds the lines that end in `bytes` to `lines`, without their ends. A line that is longer than 256 KiB is
  /// handed on in pieces, so that a program that never ends one cannot fill the memory.
  void append(std::string_view bytes, std::vector<std::string>& lines);

  /// Whether no unfinished line is waiting. A rewritten line that is blank does not count.
  [[nodiscard]] bool is_empty() const;
  /// Whether the unfinished line has been rewritten.
  [[nodiscard]] bool is_rewritten() const { return rewritten_; }
  /// The unfinished line as it is now.
  [[nodiscard]] std::string unfinished() const;
  /// The same, and the next line begins.
  [[nodiscard]] std::string take();

 private:
  void forget_earlier_states();

  std::string text_;  ///< of the unfinished line; where it is rewritten, the last state alone
  bool rewritten_ = false;
};

}  // namespace ddp::cli
