#include "trainer/data/idx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "trainer/data/mapped_file.hpp"

namespace ddp::trainer {
namespace {

constexpr std::uint8_t kUnsignedBytes = 0x08;
constexpr std::size_t kMaxDimensions = 4;

/// A header may promise anything: memory for more than this is never taken (MNIST's training images need 47
/// MB).
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

[[noreturn]] void fault(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error("cannot read '" + path.string() + "': " + what);
}

bool is_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

/// What the last four bytes of a gzip file say of its size: a hint, for files of one member under 4 GiB.
std::size_t promised_size(std::span<const std::uint8_t> gzip) {
  if (gzip.size() < 4) return 0;
  std::uint64_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) size = size * 256 + gzip[gzip.size() - i];
  return std::min(size, kMaxBytes);
}

/// All of a gzip file, decompressed; its own checksum holds.
std::vector<std::uint8_t> decompress(const std::filesystem::path& path, std::span<const std::uint8_t> gzip) {
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };
  const std::unique_ptr<gzFile_s, Close> file(::gzopen(path.c_str(), "rbe"));
  if (!file) fault(path, std::strerror(errno));
  ::gzbuffer(file.get(), 256u << 10);
  constexpr std::size_t kPiece = 1u << 20;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(promised_size(gzip) + kPiece);
  for (std::size_t size = 0;;) {
    bytes.resize(size + kPiece);
    const int done = ::gzread(file.get(), bytes.data() + size, kPiece);
    int code = Z_OK;
    const char* text = ::gzerror(file.get(), &code);
    if (code == Z_ERRNO) fault(path, std::strerror(errno));
    if (code != Z_OK && code != Z_STREAM_END)
      fault(path, std::string("the gzip data is damaged or cut short (") + text + ")");
    size += static_cast<std::size_t>(std::max(done, 0));
    if (size > kMaxBytes) fault(path, "it holds more than 1 GiB");
    if (done > 0) continue;
    bytes.resize(size);
    return bytes;
  }
}

/// Takes an idx file's bytes from its front.
class IdxReader {
 public:
  IdxReader(const std::filesystem::path& path, std::span<const std::uint8_t> bytes)
      : path_(path), rest_(bytes) {}

  std::span<const std::uint8_t> take(std::size_t count, const char* what) {
    if (rest_.size() < count) fault(std::string("the file ends within ") + what);
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  void expect_end() const {
    if (!rest_.empty()) fault("there are more bytes than the header says");
  }

  [[noreturn]] void fault(const std::string& what) const { trainer::fault(path_, what); }

 private:
  const std::filesystem::path& path_;
  std::span<const std::uint8_t> rest_;
};

std::int64_t read_extent(IdxReader& reader) {
  std::int64_t extent = 0;
  for (const std::uint8_t byte : reader.take(4, "its header")) extent = extent * 256 + byte;
  return extent;
}

std::vector<std::int64_t> read_header(IdxReader& reader) {
  const auto magic = reader.take(4, "its header");
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

IdxArray parse_idx(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                   std::shared_ptr<const void> owner) {
  IdxReader reader(path, bytes);
  IdxArray array;
  array.shape = read_header(reader);
  array.bytes = reader.take(count_bytes(array.shape, reader), "its data");
  array.owner = std::move(owner);
  reader.expect_end();
  return array;
}

}  // namespace

IdxArray load_idx(const std::filesystem::path& path) {
  auto file = std::make_shared<const MappedFile>(path);
  if (!is_gzip(file->bytes())) {
    IdxArray array = parse_idx(path, file->bytes(), file);
    file->read_ahead();
    return array;
  }
  auto bytes = std::make_shared<const std::vector<std::uint8_t>>(decompress(path, file->bytes()));
  return parse_idx(path, *bytes, bytes);
}

}  // namespace ddp::trainer
