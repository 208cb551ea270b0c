#include "trainer/data/files/gzip_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/trusted_path.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {
namespace {

namespace fs = std::filesystem;

/// Memory for more than this is never taken (MNIST's training images need 47 MB).
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

/// All of it; its own checksum holds.
std::vector<std::uint8_t> decompress(const fs::path& path) {
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };
  const std::unique_ptr<gzFile_s, Close> file(::gzopen(path.c_str(), "rbe"));
  if (!file) refuse_file(path, std::strerror(errno));
  ::gzbuffer(file.get(), 256u << 10);
  constexpr std::size_t kPiece = 1u << 20;
  std::vector<std::uint8_t> bytes;
  for (std::size_t size = 0;;) {
    bytes.resize(size + kPiece);
    const int done = ::gzread(file.get(), bytes.data() + size, kPiece);
    int code = Z_OK;
    const char* text = ::gzerror(file.get(), &code);
    if (code == Z_ERRNO) refuse_file(path, std::strerror(errno));
    if (code != Z_OK && code != Z_STREAM_END)
      refuse_file(path, std::string("the gzip data is damaged or cut short (") + text + ")");
    size += static_cast<std::size_t>(std::max(done, 0));
    if (size > kMaxBytes) refuse_file(path, "it holds more than 1 GiB");
    if (done > 0) continue;
    bytes.resize(size);
    return bytes;
  }
}

std::optional<fs::path> cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && cache[0] == '/') return fs::path(cache) / "ddpsubmit/unpacked";
  if (home != nullptr && home[0] == '/') return fs::path(home) / ".cache/ddpsubmit/unpacked";
  return std::nullopt;
}

/// What tells a state of a file from others: also its checksum and size, which end a gzip file.
std::string state_of(const fs::path& path, std::span<const std::uint8_t> gzip) {
  constexpr std::size_t kTrailer = 8;
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) refuse_file(path, std::strerror(errno));
  const auto end = gzip.last(std::min(gzip.size(), kTrailer));
  return fs::absolute(path).string() + ' ' + std::to_string(found.st_size) + ' ' +
         std::to_string(found.st_mtim.tv_sec) + ' ' + std::to_string(found.st_mtim.tv_nsec) + ' ' +
         std::string(end.begin(), end.end());
}

/// Named after the state of its source: another one has another name. In a folder that nobody else can write
/// to.
std::optional<fs::path> place_for(const fs::path& path, std::span<const std::uint8_t> gzip) {
  const auto cache = cache_folder();
  if (!cache) return std::nullopt;
  const auto folder = make_own_folder(*cache);
  if (!folder) return std::nullopt;
  return folder->path /
         (path.stem().string() + "-" + std::to_string(std::hash<std::string>{}(state_of(path, gzip))));
}

HeldBytes hold_unpacked(const fs::path& place) {
  auto file = std::make_shared<OpenFile>(place);
  file->read_ahead();
  return hold(std::move(file));
}

/// Held while one rank decompresses for all; closed: this user cannot keep files there.
FileDescriptor lock(const fs::path& place) {
  FileDescriptor file(open((place.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  while (file.is_open() && flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return {};
  }
  return file;
}

}  // namespace

bool is_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

HeldBytes load_gzip(const fs::path& path, std::span<const std::uint8_t> gzip) {
  const auto place = place_for(path, gzip);
  if (!place) return hold(decompress(path));
  std::error_code error;
  if (fs::exists(*place, error)) return hold_unpacked(*place);
  const FileDescriptor held = lock(*place);
  if (fs::exists(*place, error)) return hold_unpacked(*place);
  auto bytes = decompress(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!held.is_open() || !save_file(*place, text, Durability::synced)) return hold(std::move(bytes));
  return hold_unpacked(*place);
}

}  // namespace ddp::trainer
