#include "jobenv/agent/launchers/ssh/service/program_store.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <limits>

#include "jobenv/agent/launchers/ssh/service/content_index.hpp"
#include "jobenv/agent/launchers/ssh/service/sha256.hpp"
#include "jobenv/probe/disk_space.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/file_piece.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const std::string& what, const fs::path& path, int error) {
  return fail_errno(ExitCode::run_failed, "cannot " + what + " '" + path.string() + "'", error);
}

/// A name, and no more: files are compared. FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
std::string id_of(const std::vector<remote::ProgramFile>& files) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& file : files) {
    for (const char byte : file.name + '\n' + file.sha256 + '\n')
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  struct stat a {
  }, b{};
  return lstat(one.c_str(), &a) == 0 && lstat(other.c_str(), &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

/// All that lies in it and below, but for folders; what cannot be seen counts as too much.
std::size_t count_files(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (!fs::is_directory(entry->symlink_status(error))) ++count;
  return error ? std::numeric_limits<std::size_t>::max() : count;
}

/// A real folder of this user that nobody else can write to.
bool is_private_folder(const fs::path& folder) {
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Takes `size` bytes from `source`, unless it ends, writes them to the end of the file and adds them to
/// `hash`. The errno of the first failure, or 0; ENODATA: the source has ended.
int copy_to(const FileDescriptor& file, int error, std::istream& source, std::uint64_t size, Sha256& hash) {
  std::array<char, 65536> buffer{};
  while (size > 0) {
    const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(size, buffer.size()));
    source.read(buffer.data(), wanted);
    const auto count = static_cast<std::size_t>(source.gcount());
    hash.add({buffer.data(), count});
    if (error == 0) error = write_all(file.get(), {buffer.data(), count});
    if (!source) return error == 0 ? ENODATA : error;
    size -= count;
  }
  return error;
}

/// What has arrived of a content, and where.
struct Part {
  fs::path path;
  FileDescriptor file;
};

/// Nobody else writes to it while this process has it, where the file system has locks: another session may,
/// whose connection is gone and which does not know that yet. It may also have finished it meanwhile.
FileDescriptor open_shared_part(const fs::path& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0700));
  struct stat found {
  }, there{};
  const bool is_taken = file.is_open() && flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const bool is_own = file.is_open() && fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) &&
                      found.st_uid == geteuid() && lstat(path.c_str(), &there) == 0 &&
                      there.st_ino == found.st_ino && there.st_dev == found.st_dev;
  return is_own && !is_taken ? std::move(file) : FileDescriptor();
}

/// A copy from the beginning has a file of its own where it cannot have the shared one. Errno where that
/// fails.
Part open_part(const fs::path& shared, std::uint64_t offset) {
  Part part{shared, open_shared_part(shared)};
  if (!part.file.is_open() && offset == 0) {
    part.path += "." + std::to_string(getpid());
    (void)unlink(part.path.c_str());  // of a process of the same number that was killed
    part.file = FileDescriptor(open(part.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  }
  struct stat found {};
  const auto end = static_cast<off_t>(offset);
  if (!part.file.is_open() || fstat(part.file.get(), &found) != 0) return part;
  if (found.st_size >= end && ftruncate(part.file.get(), end) == 0 &&
      lseek(part.file.get(), end, SEEK_SET) == end)
    return part;
  errno = ESTALE;
  part.file = FileDescriptor();
  return part;
}

/// Bytes of it that a copy can go on from.
std::uint64_t size_of_part(const fs::path& path, std::uint64_t whole) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return 0;
  const auto part = open_shared_part(path);
  if (!part.is_open() || fstat(part.get(), &found) != 0) return 0;
  const auto size = static_cast<std::uint64_t>(found.st_size);
  return size < whole ? size : 0;
}

fs::path part_of(const fs::path& contents, const std::string& sha256) {
  return contents / (".part." + sha256);
}

std::uint64_t free_bytes(const fs::path& folder) {
  return measure_disk(folder).value_or(DiskSpace{}).free_bytes;
}

/// It appears under its name as a whole.
Expected<void> make_link(const fs::path& path, const std::string& name, const std::string& target) {
  if (!stays_below(name))
    return fail(ExitCode::run_failed, "'" + name + "' is not a link that can be made here");
  const fs::path incomplete = path.parent_path() / (".placed." + std::to_string(getpid()));
  std::error_code error, ignored;
  fs::create_directories(path.parent_path(), error);
  fs::remove(incomplete, ignored);  // of a process of the same number that was killed
  if (!error) fs::create_symlink(target, incomplete, error);
  if (!error) fs::rename(incomplete, path, error);
  if (!error) return {};
  fs::remove(incomplete, ignored);
  return failed("write", path, error.value());
}

}  // namespace

Expected<remote::FilesReady> ProgramStore::find_missing(const std::vector<remote::ProgramFile>& files) const {
  remote::FilesReady found{{}, {}, free_bytes(contents())};
  ContentIndex index(contents());
  for (const auto& file : files) {
    if (!is_hash(file.sha256) || !stays_below(file.name))
      return fail(ExitCode::run_failed, "'" + file.name + "' is not a file that can be kept here");
    const bool told =
        std::ranges::find(found.missing, file.sha256, &remote::MissingContent::sha256) != found.missing.end();
    if (!told && !index.verify(file.sha256, file.size))
      found.missing.push_back({file.sha256, size_of_part(part_of(contents(), file.sha256), file.size)});
  }
  index.save();
  return found;
}

Expected<remote::FilesReady> ProgramStore::find_missing(const std::vector<remote::UserFile>& files) const {
  std::vector<remote::ProgramFile> contents;
  for (const auto& user : files) contents.push_back(user.file);
  return find_missing(contents);
}

Expected<remote::FilesReady> ProgramStore::look(const remote::FindMissing& request) const {
  return find_missing(request.files);
}

Expected<remote::FilesReady> ProgramStore::ready(const remote::ReadyPrograms& request) const {
  auto found = find_missing(request.files);
  if (!found || !found->missing.empty()) return found;
  const fs::path folder = root_ / "programs" / id_of(request.files);
  if (!is_linked(request, folder)) {
    if (auto linked = link(request, folder); !linked) return tl::unexpected(linked.error());
  }
  found->folder = folder;
  return found;
}

Expected<remote::FilesReady> ProgramStore::place(const remote::PlaceFiles& request,
                                                 const fs::path& folder) const {
  auto found = find_missing(request.files);
  if (!found || !found->missing.empty()) return found;
  for (const auto& user : request.files) {
    if (auto copied = copy(user, folder); !copied) return tl::unexpected(copied.error());
  }
  for (const auto& [name, target] : request.links) {
    if (auto linked = make_link(folder / name, name, target); !linked) return tl::unexpected(linked.error());
  }
  found->folder = folder;
  return found;
}

Expected<remote::FilesReady> ProgramStore::restore(const remote::RestoreFiles& request,
                                                   const fs::path& folder) const {
  auto found = find_missing(request.files);
  if (!found || !found->missing.empty()) return found;
  for (auto file = request.files.begin(); file != request.files.end(); ++file) {
    const auto same = [&](const remote::UserFile& other) { return other.file.sha256 == file->file.sha256; };
    const bool is_last = std::none_of(file + 1, request.files.end(), same);
    if (auto done = is_last && is_worth_a_move(file->file) ? move(*file, folder) : copy(*file, folder); !done)
      return tl::unexpected(done.error());
  }
  found->folder = folder;
  return found;
}

/// It appears under its name when it is complete.
Expected<void> ProgramStore::copy(const remote::UserFile& user, const fs::path& folder) const {
  const fs::path path = folder / user.file.name;
  const fs::path incomplete = path.parent_path() / (".placed." + std::to_string(getpid()));
  std::error_code error, ignored;
  fs::create_directories(path.parent_path(), error);
  fs::remove(incomplete, ignored);  // of a process of the same number that was killed
  if (!error) fs::copy_file(contents() / user.file.sha256, incomplete, error);
  if (!error) fs::permissions(incomplete, fs::perms(user.mode), error);
  if (!error) fs::rename(incomplete, path, error);
  if (!error) return {};
  fs::remove(incomplete, ignored);
  return failed("write", path, error.value());
}

/// A small content may be a file of the user, too, and one with links is of a program.
bool ProgramStore::is_worth_a_move(const remote::ProgramFile& file) const {
  constexpr std::uint64_t kSmall = 1u << 20;
  std::error_code error;
  return file.size > kSmall && fs::hard_link_count(contents() / file.sha256, error) == 1;
}

Expected<void> ProgramStore::move(const remote::UserFile& user, const fs::path& folder) const {
  const fs::path path = folder / user.file.name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) fs::permissions(contents() / user.file.sha256, fs::perms(user.mode), error);
  if (!error) fs::rename(contents() / user.file.sha256, path, error);
  if (!error) return {};
  return failed("write", path, error.value());
}

bool ProgramStore::is_linked(const remote::ReadyPrograms& request, const fs::path& folder) const {
  return is_private_folder(folder) && count_files(folder) == request.files.size() &&
         std::ranges::all_of(request.files, [&](const remote::ProgramFile& file) {
           const fs::path name = folder / file.name;
           return is_private_folder(name.parent_path()) && is_same_file(contents() / file.sha256, name);
         });
}

/// Another session may make the same folder at the same time: one of them is kept.
Expected<void> ProgramStore::link(const remote::ReadyPrograms& request, const fs::path& folder) const {
  std::string incomplete = folder.parent_path() / ".XXXXXX";
  if (mkdtemp(incomplete.data()) == nullptr) return failed("create the folder", incomplete, errno);
  std::error_code error, ignored;
  for (const auto& file : request.files) {
    const fs::path name = fs::path(incomplete) / file.name;
    fs::create_directories(name.parent_path(), error);
    if (!error) fs::permissions(name.parent_path(), fs::perms::owner_all, error);
    if (!error) fs::create_hard_link(contents() / file.sha256, name, error);
    if (error) return failed("link", name, error.value());
  }
  fs::rename(incomplete, folder, error);
  if (error && !is_linked(request, folder)) {  // there is one with other files
    fs::rename(folder, incomplete + ".old", ignored);
    fs::rename(incomplete, folder, error);
    fs::remove_all(incomplete + ".old", ignored);
  }
  fs::remove_all(incomplete, ignored);  // where it has not become the folder
  if (!error || is_linked(request, folder)) return {};
  return failed("create the folder", folder, error.value());
}

Expected<void> ProgramStore::keep(const remote::KeepContent& request, std::istream& source) const {
  if (!is_hash(request.sha256) || request.offset > request.size)
    return fail(ExitCode::run_failed, "'" + request.sha256 + "' is not a content that can be kept here");
  const fs::path part = part_of(contents(), request.sha256);
  if (auto written = write(request, source, part); !written) return written;
  ContentIndex index(contents());
  index.add(request.sha256);
  index.save();
  return {};
}

Expected<void> ProgramStore::write(const remote::KeepContent& request, std::istream& source,
                                   const fs::path& part) const {
  const fs::path path = contents() / request.sha256;
  const auto [place, file] = open_part(part, request.offset);
  int error = file.is_open() ? 0 : errno;
  Sha256 hash;
  if (error == 0 && (lseek(file.get(), 0, SEEK_SET) != 0 || !hash.add_rest_of(file))) error = errno;
  error = copy_to(file, error, source, request.size - request.offset, hash);
  if (error == ENODATA && place == part) return failed("write", path, error);
  if (error == 0 && hash.finish() != request.sha256) error = EBADMSG;
  if (error == 0 && fsync(file.get()) != 0) error = errno;
  if (error == 0 && rename(place.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  std::error_code ignored;
  if (file.is_open()) fs::remove(place, ignored);
  if (error == EBADMSG)
    return fail(ExitCode::run_failed,
                "the file received for '" + path.string() + "' has the wrong SHA-256 checksum",
                "run the command again");
  return failed("write", path, error);
}

}  // namespace ddp::agent
