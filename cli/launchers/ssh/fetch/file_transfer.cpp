#include "cli/launchers/ssh/fetch/file_transfer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPiece = 16u << 20;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Another state of the file has another folder.
fs::path part_of(const RunFolder& folder, const remote::HostFile& file) {
  return folder.root() / ".fetch" / (std::to_string(file.size) + "-" + std::to_string(file.changed)) /
         file.path;
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

Expected<void> receive(RemoteHost& host, const std::string& name, const remote::SendFile& first,
                       const FileDescriptor& part, CopyProgress& progress) {
  remote::SendFile request = first;
  while (request.offset < request.file.size) {
    const auto bytes = host.ask_for_bytes(request);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty())
      return fail(ExitCode::run_failed,
                  name + ": '" + request.file.path + "' became shorter while it was copied");
    if (const int error = write_all(part.get(), *bytes); error != 0)
      return failed("write", request.file.path, error);
    request.offset += bytes->size();
    progress.add(name, bytes->size());
  }
  return {};
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

bool is_here(const RunFolder& folder, const remote::HostFile& file) {
  struct stat found {};
  const auto time = time_of(file);
  return lstat((folder.root() / file.path).c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::uint64_t>(found.st_size) == file.size && found.st_mtim.tv_sec == time.tv_sec &&
         found.st_mtim.tv_nsec == time.tv_nsec;
}

std::uint64_t bytes_here(const RunFolder& folder, const remote::HostFile& file) {
  std::error_code error;
  const auto size = fs::file_size(part_of(folder, file), error);
  return error || size > file.size ? 0 : size;
}

Expected<void> fetch_file(RemoteHost& host, const std::string& name, const std::string& run_id,
                          const RunFolder& folder, const remote::HostFile& file, CopyProgress& progress) {
  const fs::path part = part_of(folder, file);
  if (auto made = make_folders(folder.root(), part.lexically_relative(folder.root())); !made) return made;
  if (auto made = make_folders(folder.root(), file.path); !made) return made;
  const auto offset = bytes_here(folder, file);
  const FileDescriptor bytes(open(part.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  const auto end = static_cast<off_t>(offset);
  if (!bytes.is_open() || ftruncate(bytes.get(), end) != 0 || lseek(bytes.get(), end, SEEK_SET) != end)
    return failed("write", part, errno);
  if (auto done = receive(host, name, {run_id, file, offset, kPiece}, bytes, progress); !done) return done;
  if (const int error = finish(bytes, file); error != 0) return failed("write", part, error);
  const fs::path place = folder.root() / file.path;
  return rename(part.c_str(), place.c_str()) == 0 ? Expected<void>() : failed("write", place, errno);
}

void drop_broken_copies(const RunFolder& folder) {
  std::error_code ignored;
  fs::remove_all(folder.root() / ".fetch", ignored);
}

}  // namespace ddp::cli
