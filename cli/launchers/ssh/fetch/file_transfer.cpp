#include "cli/launchers/ssh/fetch/file_transfer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPiece = 8u << 20;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Another state of the file has another folder.
fs::path folder_of_part(const RunFolder& folder, const remote::HostFile& file) {
  return folder.root() / ".fetch" / (std::to_string(file.size) + "-" + std::to_string(file.changed));
}

fs::path part_of(const RunFolder& folder, const remote::HostFile& file) {
  return folder_of_part(folder, file) / file.path;
}

timespec time_of(const remote::HostFile& file) {
  return {.tv_sec = static_cast<time_t>(file.changed / kSecond),
          .tv_nsec = static_cast<long>(file.changed % kSecond)};
}

tl::unexpected<Error> failed(const std::string& what, const fs::path& path, int error) {
  return fail_errno(ExitCode::run_failed, "cannot " + what + " '" + path.string() + "'", error);
}

/// Makes the folders below `root` that lead to `path`. None of them may be a link: a host names them.
Expected<void> make_folders(const fs::path& root, const fs::path& path) {
  fs::path place = root;
  for (const auto& part : path.parent_path()) {
    place /= part;
    if (mkdir(place.c_str(), 0700) == 0) continue;
    const int error = errno;
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(place, ignored)))
      return failed("use the folder", place, error == EEXIST ? ENOTDIR : error);
  }
  return {};
}

/// Each piece is on disk before the next one: what comes after it once more goes on behind it.
Expected<FileCopy> receive(RemoteHost& host, const std::string& name, const remote::SendFile& first,
                           const FileDescriptor& part, CopyProgress& progress) {
  remote::SendFile request = first;
  while (request.offset < request.file.size) {
    if (progress.is_stopped()) return fail(ExitCode::interrupted, "the copy was stopped");
    request.most = std::min(kPiece, request.file.size - request.offset);
    const auto bytes = host.ask_for_bytes(request);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty()) return FileCopy::changed;
    int error = write_all(part.get(), *bytes);
    if (error == 0 && fdatasync(part.get()) != 0) error = errno;
    if (error != 0) return failed("write", request.file.path, error);
    request.offset += bytes->size();
    progress.add(name, bytes->size());
  }
  return FileCopy::whole;
}

/// With the mode and the time that it has on its host.
int finish(const FileDescriptor& part, const remote::HostFile& file) {
  const timespec times[] = {time_of(file), time_of(file)};
  const auto mode = static_cast<mode_t>(file.mode | S_IRUSR | S_IWUSR);
  const bool done =
      fchmod(part.get(), mode) == 0 && futimens(part.get(), times) == 0 && fsync(part.get()) == 0;
  return done ? 0 : errno;
}

}  // namespace

std::uint64_t bytes_here(const RunFolder& folder, const remote::HostFile& file) {
  std::error_code error;
  const auto size = fs::file_size(part_of(folder, file), error);
  return error || size > file.size ? 0 : size;
}

Expected<FileCopy> fetch_file(RemoteHost& host, const std::string& name, const std::string& run_id,
                              const RunFolder& folder, const remote::HostFile& file, CopyProgress& progress) {
  const fs::path part = part_of(folder, file);
  auto made = make_folders(folder.root(), part.lexically_relative(folder.root()));
  if (made) made = make_folders(folder.root(), file.path);
  if (!made) return tl::unexpected(made.error());
  const auto offset = bytes_here(folder, file);
  const FileDescriptor bytes(open(part.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  const auto end = static_cast<off_t>(offset);
  if (!bytes.is_open() || ftruncate(bytes.get(), end) != 0 || lseek(bytes.get(), end, SEEK_SET) != end)
    return failed("write", part, errno);
  auto copied = receive(host, name, {run_id, file, offset, 0}, bytes, progress);
  if (!copied || *copied == FileCopy::changed) return copied;
  if (const int error = finish(bytes, file); error != 0) return failed("write", part, error);
  const fs::path place = folder.root() / file.path;
  if (rename(part.c_str(), place.c_str()) != 0) return failed("write", place, errno);
  return FileCopy::whole;
}

void drop_broken_copies(const RunFolder& folder, std::span<const remote::HostFile> wanted) {
  std::set<fs::path> kept;
  for (const auto& file : wanted) kept.insert(folder_of_part(folder, file));
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder.root() / ".fetch", error), last; !error && entry != last;
       entry.increment(error))
    if (!kept.contains(entry->path())) fs::remove_all(entry->path(), ignored);
  fs::remove(folder.root() / ".fetch", ignored);
}

}  // namespace ddp::cli
