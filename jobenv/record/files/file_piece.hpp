#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Some bytes of a file of a run folder, on their way to another folder of the same run.
struct FilePiece {
  std::string path;  ///< below the run folder
  std::uint64_t offset = 0;
  std::string bytes;

  bool operator==(const FilePiece&) const = default;
};

/// How large a piece may be, so that none keeps a connection from other words for long.
inline constexpr std::size_t kMostPieceBytes = 256u << 10;

/// The bytes from `offset` on, kMostPieceBytes at most; none when the file ends there, or cannot be read.
[[nodiscard]] FilePiece load_piece(const std::filesystem::path& folder, const std::string& path,
                                   std::uint64_t offset);

/// Whether `path` stays below the folder that it is written to, whoever names it.
[[nodiscard]] bool stays_below(std::string_view path);

/// Makes the folders it needs. Follows no link in the place of the file; what is there beside the piece
/// stays.
[[nodiscard]] Expected<void> save_piece(const std::filesystem::path& folder, const FilePiece& piece);

[[nodiscard]] nlohmann::json to_json(const FilePiece& piece);
/// Strict: exactly these fields, and a path that stays below the folder.
[[nodiscard]] Expected<FilePiece> parse_file_piece(const nlohmann::json& json);

}  // namespace ddp
