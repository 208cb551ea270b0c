#include "trainer/data/idx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

constexpr std::uint8_t kUnsignedBytes = 0x08;
constexpr std::size_t kMaxDimensions = 4;

/// A header may promise anything: memory for more than this is never taken (MNIST's training images need 47
/// MB).
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

class IdxReader {
 public:
  explicit IdxReader(const std::filesystem::path& path) : path_(path), file_(::gzopen(path.c_str(), "rbe")) {
    if (!file_) fault(std::strerror(errno));
    ::gzbuffer(file_.get(), 256u << 10);
  }

  [[noreturn]] void fault(const std::string& what) const {
    throw std::runtime_error("cannot read '" + path_.string() + "': " + what);
  }

  void read(std::span<std::uint8_t> into, const char* what) {
    while (!into.empty()) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(into.size(), 1u << 30));
      const int done = ::gzread(file_.get(), into.data(), wanted);
      check_stream();
      if (done <= 0) fault(std::string("the file ends within ") + what);
      into = into.subspan(static_cast<std::size_t>(done));
    }
  }

  /// Nothing may follow, and gzip's own checksum at the end must hold.
  void expect_end() {
    std::uint8_t extra = 0;
    const int done = ::gzread(file_.get(), &extra, 1);
    check_stream();
    if (done > 0) fault("there are more bytes than the header says");
  }

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };

  void check_stream() const {
    int code = Z_OK;
    const char* text = ::gzerror(file_.get(), &code);
    if (code == Z_ERRNO) fault(std::strerror(errno));
    if (code != Z_OK && code != Z_STREAM_END)
      fault(std::string("the gzip data is damaged or cut short (") + text + ")");
  }

  const std::filesystem::path& path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

std::int64_t read_extent(IdxReader& reader) {
  std::array<std::uint8_t, 4> big_endian{};
  reader.read(big_endian, "its header");
  std::int64_t extent = 0;
  for (const std::uint8_t byte : big_endian) extent = extent * 256 + byte;
  return extent;
}

std::vector<std::int64_t> read_header(IdxReader& reader) {
  std::array<std::uint8_t, 4> magic{};
  reader.read(magic, "its header");
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedBytes || magic[3] < 1 ||
      magic[3] > kMaxDimensions) {
    reader.fault("it is no idx file of unsigned bytes");
  }
  std::vector<std::int64_t> shape(magic[3]);
  for (std::int64_t& extent : shape) extent = read_extent(reader);
  return shape;
}

std::size_t count_bytes(const std::vector<std::int64_t>& shape, const IdxReader& reader) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    const bool overflow = __builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count);
    if (overflow || count > kMaxBytes) reader.fault("its header asks for more than 1 GiB");
  }
  return count;
}

}  // namespace

IdxArray load_idx(const std::filesystem::path& path) {
  IdxReader reader(path);
  IdxArray array;
  array.shape = read_header(reader);
  array.bytes.resize(count_bytes(array.shape, reader));
  reader.read(array.bytes, "its data");
  reader.expect_end();
  return array;
}

}  // namespace ddp::trainer
