#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "trainer/checkpoint/checked_file.hpp"

namespace ddp::trainer {

/// By the name of a file in the folder of a checkpoint.
using FileSums = std::map<std::string, FileSum>;

/// whole: one file has all parameters, and one all of the optimizer's state. sharded: each rank has files of
/// its own. The numbers are in manifest.json: a ddptrain that knows only whole ones refuses the others.
enum class CheckpointFormat { whole = 1, sharded = 2 };

/// manifest.json: the size and checksum of each other file of a checkpoint. A folder without it is not a
/// checkpoint.
struct Manifest {
  CheckpointFormat format = CheckpointFormat::whole;
  FileSums files;
};

/// Writes manifest.json and makes it durable. Throws std::system_error.
void save_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws std::runtime_error that says what is wrong with it.
[[nodiscard]] Manifest load_manifest(const std::filesystem::path& folder);

/// Throws std::runtime_error, naming `file`, when it is not what the manifest expects.
void check_sum(const std::filesystem::path& file, const FileSum& read, const FileSum& expected);

/// Sums as a text, which parse_file_sums() reads: how a rank tells another one what it has written.
/// parse_file_sums() throws std::runtime_error for any other text.
[[nodiscard]] std::string render_file_sums(const FileSums& sums);
[[nodiscard]] FileSums parse_file_sums(std::string_view text);

}  // namespace ddp::trainer
