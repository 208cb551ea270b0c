#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// What the streams of a program know of a reader that reads nothing, as a pager that is stopped.
struct HeldUpReader {
  std::chrono::milliseconds patience{250};  ///< once a signal has come
  bool signal_came = false;                 ///< while a write was held up
  bool given_up = false;                    ///< after that: who reads one stream reads the others
};

/// A buffer in front of a descriptor that it does not own. It remembers why the first write failed, however
/// long ago that was, and writes nothing from then on. Not flushed when it is destroyed.
///
/// A reader that reads nothing holds up a write. Where this program waits for INT or TERM itself
/// (SignalWatch), such a write ends as soon as one of them is pending: the caller can take the signal, and
/// what is left stays here. After that the reader has HeldUpReader::patience; then the write fails with
/// EINTR, and so does the next one that is held up.
class StandardOutput final : public std::streambuf {
 public:
  /// `reader` is that of all streams, and outlives this one.
  StandardOutput(int descriptor, HeldUpReader& reader);

  /// errno of the first write that failed; 0: none has.
  [[nodiscard]] int error() const { return error_; }

 private:
  enum class Written { all, failed };

  int_type overflow(int_type character) override;
  int sync() override;
  Written write_buffer();
  [[nodiscard]] std::size_t write_some(const char* begin, std::size_t size);
  [[nodiscard]] std::size_t try_write(const char* begin, std::size_t size);

  int descriptor_;
  HeldUpReader& reader_;
  bool may_block_ = false;  ///< the descriptor is not that of a regular file
  /// Of the same pipe or terminal, and non-blocking: the caller's must not become so. nullopt: nothing was
  /// written yet. Not open: it cannot be had.
  std::optional<FileDescriptor> own_;
  int error_ = 0;
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::string left_;  ///< by a write that a signal has ended
};

/// Gives descriptors 0, 1 and 2 a file where the caller left them closed, so that no file of the program gets
/// one of these numbers. What is written to such a stdout fails, and is not lost in silence. To be called
/// before anything is opened.
void occupy_standard_descriptors();

}  // namespace ddp::cli
