#include "jobenv/agent/launchers/ssh/service/program_store.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <limits>

#include "jobenv/agent/launchers/ssh/service/content_index.hpp"
#include "jobenv/agent/launchers/ssh/service/sha256.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/file_piece.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const std::string& what, const fs::path& path, int error) {
  return fail_errno(ExitCode::run_failed, "cannot " + what + " '" + path.string() + "'", error);
}

/// For a time under another name than its own.
fs::path temporary_for(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(getpid()));
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

/// The errno of the first failure, or 0, and the hash of the bytes.
struct Copied {
  int error = 0;
  std::string sha256;
};

/// Takes `size` bytes from `source` in any case.
Copied copy_to(const FileDescriptor& file, std::istream& source, std::uint64_t size) {
  Copied copied{file.is_open() ? 0 : errno, {}};
  Sha256 hash;
  std::array<char, 16384> buffer{};
  while (size > 0) {
    const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(size, buffer.size()));
    if (!source.read(buffer.data(), wanted)) return {ENODATA, {}};
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(wanted));
    hash.add(bytes);
    if (copied.error == 0) copied.error = write_all(file.get(), bytes);
    size -= bytes.size();
  }
  copied.sha256 = hash.finish();
  return copied;
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

Expected<std::vector<std::string>> ProgramStore::find_missing(
    const std::vector<remote::ProgramFile>& files) const {
  std::vector<std::string> missing;
  ContentIndex index(contents());
  for (const auto& file : files) {
    if (!is_hash(file.sha256) || !stays_below(file.name))
      return fail(ExitCode::run_failed, "'" + file.name + "' is not a file that can be kept here");
    const bool told = std::ranges::find(missing, file.sha256) != missing.end();
    if (!told && !index.verify(file.sha256, file.size)) missing.push_back(file.sha256);
  }
  index.save();
  return missing;
}

Expected<remote::FilesReady> ProgramStore::ready(const remote::ReadyPrograms& request) const {
  auto missing = find_missing(request.files);
  if (!missing) return tl::unexpected(missing.error());
  if (!missing->empty()) return remote::FilesReady{{}, std::move(*missing)};
  const fs::path folder = root_ / "programs" / id_of(request.files);
  if (!is_linked(request, folder)) {
    if (auto linked = link(request, folder); !linked) return tl::unexpected(linked.error());
  }
  return remote::FilesReady{folder, {}};
}

Expected<remote::FilesReady> ProgramStore::place(const remote::PlaceFiles& request,
                                                 const fs::path& folder) const {
  std::vector<remote::ProgramFile> contents;
  for (const auto& user : request.files) contents.push_back(user.file);
  auto missing = find_missing(contents);
  if (!missing) return tl::unexpected(missing.error());
  if (!missing->empty()) return remote::FilesReady{{}, std::move(*missing)};
  for (const auto& user : request.files) {
    if (auto copied = copy(user, folder); !copied) return tl::unexpected(copied.error());
  }
  for (const auto& [name, target] : request.links) {
    if (auto linked = make_link(folder / name, name, target); !linked) return tl::unexpected(linked.error());
  }
  return remote::FilesReady{folder, {}};
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
  if (!is_hash(request.sha256))
    return fail(ExitCode::run_failed, "'" + request.sha256 + "' is not a SHA-256 checksum");
  const fs::path path = contents() / request.sha256;
  const fs::path incomplete = temporary_for(path);
  (void)unlink(incomplete.c_str());  // of a process of the same number that was killed
  FileDescriptor file(open(incomplete.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  auto [error, sha256] = copy_to(file, source, request.size);
  if (error == 0 && sha256 != request.sha256) error = EBADMSG;
  if (error == 0 && fsync(file.get()) != 0) error = errno;
  if (file.is_open() && error == 0) error = file.close();
  if (error == 0 && rename(incomplete.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) {
    ContentIndex index(contents());
    index.add(request.sha256);
    index.save();
    return {};
  }
  std::error_code ignored;
  fs::remove(incomplete, ignored);
  if (error == EBADMSG)
    return fail(ExitCode::run_failed,
                "the file received for '" + path.string() + "' has the wrong SHA-256 checksum",
                "run the command again");
  return failed("write", path, error);
}

}  // namespace ddp::agent
