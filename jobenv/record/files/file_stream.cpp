#include "jobenv/record/files/file_stream.hpp"

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

}  // namespace ddp
