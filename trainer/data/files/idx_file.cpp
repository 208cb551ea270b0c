#include "trainer/data/files/idx_file.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "trainer/data/files/gzip_file.hpp"
#include "trainer/data/files/held_bytes.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {
namespace {

constexpr std::uint8_t kUnsignedBytes = 0x08;
constexpr std::size_t kMaxDimensions = 4;

/// A header may promise anything; MNIST's training images need 47 MB.
constexpr std::uint64_t kMaxIdxBytes = std::uint64_t{1} << 30;

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

  [[noreturn]] void fault(const std::string& what) const { refuse_file(path_, what); }

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
    reader.fault("it is not an idx file of unsigned bytes");
  }
  std::vector<std::int64_t> shape(magic[3]);
  for (std::int64_t& extent : shape) extent = read_extent(reader);
  return shape;
}

std::size_t count_bytes(const std::vector<std::int64_t>& shape, const IdxReader& reader) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    const bool overflow = __builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count);
    if (overflow || count > kMaxIdxBytes) reader.fault("its header asks for more than 1 GiB");
  }
  return count;
}

IdxArray parse_idx(const std::filesystem::path& path, HeldBytes held) {
  IdxReader reader(path, held.bytes);
  IdxArray array;
  array.shape = read_header(reader);
  array.bytes = reader.take(count_bytes(array.shape, reader), "its data");
  array.offset = static_cast<std::uint64_t>(array.bytes.data() - held.bytes.data());
  array.owner = std::move(held.owner);
  array.source = std::move(held.source);
  reader.expect_end();
  return array;
}

}  // namespace

IdxArray load_idx(const std::filesystem::path& path) {
  const auto file = std::make_shared<OpenFile>(path);
  HeldBytes held = hold(file);
  if (is_gzip(held.bytes)) return parse_idx(path, load_gzip(path, held.bytes));
  IdxArray array = parse_idx(path, std::move(held));
  file->read_ahead();
  return array;
}

}  // namespace ddp::trainer
