#include "jobenv/record/files/file_piece.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/files/base64.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp {
namespace {

namespace fs = std::filesystem;

Expected<void> write_at(const FileDescriptor& file, const FilePiece& piece) {
  std::string_view rest = piece.bytes;
  while (!rest.empty()) {
    const auto place = piece.offset + (piece.bytes.size() - rest.size());
    const ssize_t size = pwrite(file.get(), rest.data(), rest.size(), static_cast<off_t>(place));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail_errno(ExitCode::run_failed, "cannot write '" + piece.path + "'", errno);
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

struct Base64Form {
  [[nodiscard]] nlohmann::json render(const std::string& bytes) const { return encode_base64(bytes); }
  [[nodiscard]] Expected<std::string> parse(const nlohmann::json& json) const {
    auto bytes = json.is_string() ? decode_base64(json.get_ref<const std::string&>()) : std::nullopt;
    if (!bytes) return fail(ExitCode::run_failed, "is not base64");
    return std::move(*bytes);
  }
};

constexpr auto describe_piece = [](auto& fields, auto& piece) {
  fields.field("path", piece.path);
  fields.expect(stays_below(piece.path), "path", "does not stay in the run folder");
  fields.field("offset", piece.offset);
  fields.field("bytes", piece.bytes, Base64Form{});
};

}  // namespace

FilePiece load_piece(const fs::path& folder, const std::string& path, std::uint64_t offset) {
  FilePiece piece{path, offset, std::string(kMostPieceBytes, '\0')};
  const auto file = open_regular_file(folder / path, Links::refused);
  const ssize_t size =
      file ? pread(file->descriptor.get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(offset))
           : 0;
  piece.bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return piece;
}

bool stays_below(std::string_view path) {
  const fs::path parts(path);
  return !path.empty() && parts.is_relative() && parts.has_filename() &&
         std::ranges::none_of(parts, [](const fs::path& part) { return part == ".." || part == "."; });
}

Expected<void> save_piece(const fs::path& folder, const FilePiece& piece) {
  if (!stays_below(piece.path))
    return fail(ExitCode::run_failed, "'" + piece.path + "' is not a file of a run folder");
  const fs::path path = folder / piece.path;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file.is_open()) return fail_errno(ExitCode::run_failed, "cannot open '" + path.string() + "'", errno);
  return write_at(file, piece);
}

nlohmann::json to_json(const FilePiece& piece) {
  return write_object(nullptr, piece, describe_piece);
}

Expected<FilePiece> parse_file_piece(const nlohmann::json& json) {
  return read_object<FilePiece>({json, "file piece"}, ExitCode::run_failed, describe_piece);
}

}  // namespace ddp
