#include "cli/rehearsal/file_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "jobenv/record/files/regular_file.hpp"
#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

constexpr std::size_t kBlock = 1 << 20;
constexpr std::string_view kTensors = ".safetensors";

Expected<std::size_t> read_block(const FileDescriptor& file, std::string& block, const path& name) {
  const auto size = read_up_to(file.get(), block.data(), block.size());
  if (size >= 0) return static_cast<std::size_t>(size);
  return fail(ExitCode::run_failed, "cannot read '" + name.string() + "'",
              "check the disk, then rehearse again");
}

/// Of the first byte that differs, where one file ends before the other its length; nullopt: none differs.
Expected<std::optional<std::uint64_t>> find_difference(const path& a, const path& b) {
  const auto file_a = open_regular_file(a);
  if (!file_a) return tl::unexpected(file_a.error());
  const auto file_b = open_regular_file(b);
  if (!file_b) return tl::unexpected(file_b.error());
  std::string block_a(kBlock, '\0'), block_b(kBlock, '\0');
  for (std::uint64_t begin = 0;; begin += kBlock) {
    const auto size_a = read_block(file_a->descriptor, block_a, a);
    if (!size_a) return tl::unexpected(size_a.error());
    const auto size_b = read_block(file_b->descriptor, block_b, b);
    if (!size_b) return tl::unexpected(size_b.error());
    const auto common = static_cast<std::ptrdiff_t>(std::min(*size_a, *size_b));
    const auto end = block_a.begin() + common;
    const auto differs = std::mismatch(block_a.begin(), end, block_b.begin()).first;
    if (differs != end || *size_a != *size_b)
      return begin + static_cast<std::uint64_t>(differs - block_a.begin());
    if (*size_a < kBlock) return std::nullopt;
  }
}

/// Empty where no tensor holds the byte, or the file holds none.
std::string tensor_at(const path& file, std::uint64_t offset) {
  if (file.extension() != kTensors) return {};
  const auto entries = trainer::read_safetensors_header(file);
  if (!entries) return {};
  const auto found = std::ranges::find_if(
      *entries, [offset](const auto& entry) { return entry.begin <= offset && offset < entry.end; });
  return found == entries->end() ? std::string() : found->name;
}

}  // namespace

Expected<ResultComparison> compare_files(const path& undisturbed, const path& disturbed,
                                         const std::set<std::string>& names) {
  ResultComparison result{.files = {names.begin(), names.end()}, .differences = {}};
  std::error_code ignored;
  for (const auto& name : names) {
    const path a = undisturbed / name, b = disturbed / name;
    if (!std::filesystem::is_regular_file(a, ignored) || !std::filesystem::is_regular_file(b, ignored)) {
      result.differences.push_back({.file = name, .tensor = {}, .offset = std::nullopt});
      continue;
    }
    const auto offset = find_difference(a, b);
    if (!offset) return tl::unexpected(offset.error());
    if (*offset) result.differences.push_back({name, tensor_at(a, **offset), *offset});
  }
  return result;
}

std::string render_difference(const FileDifference& difference) {
  const auto& [file, tensor, offset] = difference;
  if (!offset) return file + ": exists in only one of the two runs";
  if (!file.ends_with(kTensors)) return fmt::format("{}: first difference at byte {}", file, *offset);
  if (tensor.empty()) return fmt::format("{}: the headers differ, first at byte {}", file, *offset);
  return fmt::format("{}: tensor '{}' differs, first at byte {} of the file", file, tensor, *offset);
}

}  // namespace ddp::cli
