#include "jobenv/agent/launchers/ssh/service/run_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "jobenv/agent/launchers/ssh/service/content_index.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/run_processes.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLeftOut = 1'000;
constexpr int kMostTries = 5;
constexpr std::uint64_t kLargestPiece = 32u << 20;
/// So long a content may wait until the program that it is for is linked to it.
constexpr std::chrono::hours kNewContent{1};

std::uint64_t time_of(const struct stat& found) {
  const auto seconds = std::max<std::int64_t>(found.st_mtim.tv_sec, 0);
  return static_cast<std::uint64_t>(seconds) * 1'000'000'000U +
         static_cast<std::uint64_t>(found.st_mtim.tv_nsec);
}

bool is_in_state(const struct stat& found, const remote::HostFile& file) {
  return S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == file.size &&
         time_of(found) == file.changed;
}

/// Opens each folder on the way by itself, so that no link is followed. Not open: errno tells why.
FileDescriptor open_below(const fs::path& root, const fs::path& path) {
  FileDescriptor place(open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  for (const auto& part : path.parent_path()) {
    if (!place.is_open()) break;
    place = FileDescriptor(openat(place.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!place.is_open()) return place;
  return FileDescriptor(
      openat(place.get(), path.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

/// Fewer where the file ends.
std::string read_from(const FileDescriptor& file, std::uint64_t offset, std::uint64_t count) {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size =
        pread(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    done += static_cast<std::size_t>(size);
  }
  bytes.resize(done);
  return bytes;
}

class FileList {
 public:
  explicit FileList(const fs::path& root) : root_(root) {}

  Expected<void> add(const std::string& folder) {
    if (!stays_below(folder)) return fail(ExitCode::run_failed, "'" + folder + "' is not a folder of a run");
    std::error_code error;
    const auto status = fs::symlink_status(root_ / folder, error);
    if (!fs::exists(status)) return {};
    if (!fs::is_directory(status)) return listed_.left_out.push_back(folder), Expected<void>();
    const auto before = listed_.files.size();
    // A folder that goes away meanwhile ends the iteration.
    for (int tries = 0; tries < kMostTries; ++tries) {
      listed_.files.resize(before);
      error = add_all(root_ / folder);
      if (!error) return {};
    }
    return fail_errno(ExitCode::run_failed, "cannot read '" + (root_ / folder).string() + "'", error.value());
  }

  remote::FilesListed take() { return std::move(listed_); }

 private:
  std::error_code add_all(const fs::path& folder) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator() &&
           listed_.files.size() <= remote::kMostListedFiles;
         entry.increment(error))
      add_entry(*entry);
    return error;
  }

  void add_entry(const fs::directory_entry& entry) {
    const std::string path = entry.path().lexically_relative(root_);
    struct stat found {};
    if (lstat(entry.path().c_str(), &found) != 0 || S_ISDIR(found.st_mode)) return;
    if (!S_ISREG(found.st_mode)) {
      if (listed_.left_out.size() < kMostLeftOut) listed_.left_out.push_back(path);
      return;
    }
    listed_.files.push_back({path, static_cast<std::uint64_t>(found.st_size), time_of(found),
                             static_cast<int>(found.st_mode) & remote::kMaxMode});
  }

  const fs::path& root_;
  remote::FilesListed listed_;
};

bool has_runs(const fs::path& root) {
  std::error_code error;
  return !fs::is_empty(root / "runs", error) || error;
}

/// Programs hold links to theirs. The index stays: it knows their hashes.
void drop_user_files(const fs::path& contents) {
  std::error_code error, ignored;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(contents, error), end; !error && entry != end; entry.increment(error)) {
    struct stat found {};
    if (lstat(entry->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink > 1) continue;
    if (entry->path().filename() == ContentIndex::kName) continue;
    if (now - entry->last_write_time(ignored) > kNewContent) fs::remove(entry->path(), ignored);
  }
}

}  // namespace

Expected<remote::FilesListed> list_files(const OwnFolder& folder, const remote::ListFiles& request) {
  const auto run = folder.find_run_folder(request.run_id);
  if (!run && run.error().code == ExitCode::not_found) return remote::FilesListed{};
  if (!run) return tl::unexpected(run.error());
  FileList list(run->root());
  for (const auto& name : request.folders)
    if (auto added = list.add(name); !added) return tl::unexpected(added.error());
  return list.take();
}

Expected<std::string> read_bytes(const OwnFolder& folder, const remote::SendFile& request) {
  const auto run = folder.find_run_folder(request.run_id);
  if (!run) return tl::unexpected(run.error());
  if (!stays_below(request.file.path))
    return fail(ExitCode::run_failed, "'" + request.file.path + "' is not a file of a run");
  const auto file = open_below(run->root(), request.file.path);
  if (!file.is_open()) return std::string();
  struct stat found {};
  std::string bytes;
  if (request.offset <= request.file.size) {
    const auto left = request.file.size - request.offset;
    bytes = read_from(file, request.offset, std::min({left, request.most, kLargestPiece}));
  }
  const bool is_same = fstat(file.get(), &found) == 0 && is_in_state(found, request.file);
  return is_same ? bytes : std::string();
}

Expected<remote::RunRemoved> remove_run(const OwnFolder& folder, const remote::RemoveRun& request) {
  const auto run = folder.find_run_folder(request.run_id);
  if (!run && run.error().code != ExitCode::not_found) return tl::unexpected(run.error());
  if (run && !find_rank_processes({run->root()}).empty())
    return fail(ExitCode::still_running, "run " + request.run_id + " still has ranks there");
  std::error_code error;
  if (run) fs::remove_all(run->root(), error);
  if (error)
    return fail_errno(ExitCode::run_failed, "cannot remove '" + run->root().string() + "'", error.value());
  if (!has_runs(folder.root())) drop_user_files(folder.root() / "content");
  return remote::RunRemoved{run.has_value()};
}

}  // namespace ddp::agent
