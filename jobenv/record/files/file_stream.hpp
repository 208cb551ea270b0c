#pragma once

#include <filesystem>
#include <istream>
#include <streambuf>
#include <string>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp {

/// The text of a file as a stream, opened as open_regular_file does; empty, and failed, where it cannot be
/// opened. For files that are too large for load_file.
class FileStream : public std::istream {
 public:
  explicit FileStream(const std::filesystem::path& path);

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(FileDescriptor file) : file_(std::move(file)) {}
    [[nodiscard]] bool is_open() const { return file_.is_open(); }

   private:
    int_type underflow() override;

    FileDescriptor file_;
    std::vector<char> text_ = std::vector<char>(1 << 16);
  };

  Buffer buffer_;
};

/// As std::getline, but of a line longer than LineReader::kLongestLine, as a sparse file may have, only the
/// beginning.
bool take_line(std::istream& lines, std::string& line);

}  // namespace ddp
