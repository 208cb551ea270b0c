#include "jobenv/record/files/file_stream.hpp"

#include <algorithm>
#include <array>

#include "jobenv/record/files/line_reader.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp {
namespace {

FileDescriptor open_or_none(const std::filesystem::path& path) {
  auto file = open_regular_file(path);
  return file ? std::move(file->descriptor) : FileDescriptor();
}

}  // namespace

FileStream::FileStream(const std::filesystem::path& path)
    : std::istream(nullptr), buffer_(open_or_none(path)) {
  rdbuf(&buffer_);
  if (!buffer_.is_open()) setstate(failbit);
}

FileStream::Buffer::int_type FileStream::Buffer::underflow() {
  const auto size = file_.is_open() ? read_up_to(file_.get(), text_.data(), text_.size()) : 0;
  if (size <= 0) return traits_type::eof();
  setg(text_.data(), text_.data(), text_.data() + size);
  return traits_type::to_int_type(text_.front());
}

bool take_line(std::istream& lines, std::string& line) {
  line.clear();
  std::array<char, 1024> part{};
  while (true) {
    lines.getline(part.data(), part.size());
    auto size = static_cast<std::size_t>(lines.gcount());
    const bool is_whole = lines.good();  // the end of the line was taken, too
    if (is_whole) --size;
    line.append(part.data(), std::min(size, LineReader::kLongestLine - line.size()));
    if (is_whole || (lines.eof() && !line.empty())) return true;
    if (size == 0 || lines.eof() || lines.bad()) return false;
    lines.clear();  // the part is full
  }
}

}  // namespace ddp
