#include "cli/checkpoint/file_mismatch.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

using trainer::FileSum;

constexpr std::size_t kSummedBlock = std::size_t{1} << 20;

/// The errno, or 0.
int sum_file(int descriptor, FileSum& sum) {
  std::string block(kSummedBlock, '\0');
  while (true) {
    const auto size = read_up_to(descriptor, block.data(), block.size());
    if (size < 0) return errno;
    const auto read = static_cast<std::size_t>(size);
    sum.crc32c = crc32c(std::as_bytes(std::span(block.data(), read)), sum.crc32c);
    sum.size += read;
    if (read < block.size()) return 0;
  }
}

}  // namespace

std::optional<std::string> find_mismatch(const std::filesystem::path& file, const FileSum& expected) {
  const auto opened = open_regular_file(file);
  if (!opened && opened.error().code == ExitCode::not_found) return "is missing";
  if (!opened) return "cannot be read: " + opened.error().message;
  if (opened->size != expected.size)
    return fmt::format("has {} bytes, but manifest.json says {}", opened->size, expected.size);
  FileSum sum;
  if (const int error = sum_file(opened->descriptor.get(), sum); error != 0)
    return "cannot be read: " + std::generic_category().message(error);
  if (sum.size != expected.size)
    return fmt::format("has {} bytes, but manifest.json says {}", sum.size, expected.size);
  if (sum.crc32c == expected.crc32c) return std::nullopt;
  return fmt::format("has been altered: its crc32c is {:08x}, but manifest.json says {:08x}", sum.crc32c,
                     expected.crc32c);
}

}  // namespace ddp::cli
