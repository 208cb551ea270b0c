#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "jobenv/record/checkpoint_format.hpp"
#include "trainer/checkpoint/format/file_sum.hpp"

namespace ddp::trainer {

/// manifest.json: the size and checksum of each other file of a checkpoint. A folder without it is not a
/// checkpoint.
struct Manifest {
  CheckpointFormat format = CheckpointFormat::whole;
  FileSums files;
};

[[nodiscard]] std::string render_manifest(const Manifest& manifest);

/// Whoever wrote it, each of its names is that of a file in the same folder. The error is the end of a
/// sentence about the file: "names no files".
[[nodiscard]] tl::expected<Manifest, std::string> parse_manifest(std::string_view text);

/// Sums as a text, which parse_file_sums() reads: how a rank tells another one what it has written. The error
/// is the end of a sentence about the text.
[[nodiscard]] std::string render_file_sums(const FileSums& sums);
[[nodiscard]] tl::expected<FileSums, std::string> parse_file_sums(std::string_view text);

/// Eight hexadecimal digits.
[[nodiscard]] std::string render_crc32c(std::uint32_t crc32c);

}  // namespace ddp::trainer
