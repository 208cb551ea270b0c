#include "jobenv/record/files/durable_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp {
namespace {

tl::unexpected<Error> refuse(const std::string& what, const std::filesystem::path& path, int errno_value) {
  const ExitCode code = errno_value == ENOENT ? ExitCode::not_found : ExitCode::run_failed;
  return fail_errno(code, what + " " + path.string(), errno_value);
}

/// Measured on ext4: more fsyncs at a time gain nothing, as one commit of the journal serves all that wait.
constexpr std::size_t kSyncThreads = 8;

Expected<void> sync_one(const std::filesystem::path& path) {
  // Opening never waits; fsync fails on what is not a file.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return refuse("cannot open", path, errno);
  if (fsync(file.get()) == 0) return {};
  const int error = errno;
  // Some file systems, such as those of FUSE, have no sync of folders: the names in them are kept as others'
  // are.
  struct stat state {};
  const bool is_folder = fstat(file.get(), &state) == 0 && S_ISDIR(state.st_mode);
  return is_folder && error == EINVAL ? Expected<void>() : refuse("cannot sync", path, error);
}

/// A file under a temporary name beside its target. Removed unless it has been renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : name_(target.parent_path() / ("." + target.filename().string() + ".XXXXXX")),
        file_(mkostemp(name_.data(), O_CLOEXEC)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (exists_) unlink(name_.c_str());
  }

  [[nodiscard]] bool exists() const { return exists_; }

  /// After an error nothing more is written.
  void write(std::string_view text) {
    if (error_ == 0) error_ = write_all(file_.get(), text);
  }

  /// The errno of the first failure, or 0.
  int close(Durability durability) {
    if (error_ != 0) return error_;
    if (durability == Durability::synced && fsync(file_.get()) != 0) return errno;
    return file_.close();
  }

  /// The errno, or 0.
  int rename_to(const std::filesystem::path& target) {
    if (rename(name_.c_str(), target.c_str()) != 0) return errno;
    exists_ = false;
    return 0;
  }

 private:
  std::string name_;
  FileDescriptor file_;
  bool exists_ = file_.is_open();
  int error_ = 0;
};

}  // namespace

Expected<void> save_file(const std::filesystem::path& path, std::string_view text, Durability durability) {
  return save_file(
      path,
      [text](const PrintText& print) -> Expected<void> {
        print(text);
        return {};
      },
      durability);
}

Expected<void> save_file(const std::filesystem::path& path,
                         const std::function<Expected<void>(const PrintText& print)>& write,
                         Durability durability) {
  TemporaryFile file(path);
  if (!file.exists()) return refuse("cannot create a file for", path, errno);
  if (auto written = write([&file](std::string_view text) { file.write(text); }); !written) return written;
  if (const int error = file.close(durability); error != 0) return refuse("cannot write", path, error);
  if (const int error = file.rename_to(path); error != 0) return refuse("cannot write", path, error);
  if (durability == Durability::visible) return {};
  return sync_folder(path.has_parent_path() ? path.parent_path() : ".");
}

Expected<void> sync_folder(const std::filesystem::path& folder) {
  return sync_one(folder);
}

Expected<void> sync_together(std::span<const std::filesystem::path> paths) {
  std::vector<Expected<void>> results(paths.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) results[i] = sync_one(paths[i]);
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(paths.size(), kSyncThreads)) others.emplace_back(work);
    } catch (const std::system_error&) {  // a limit on threads: those that are there do it
    }
    work();
  }
  for (auto& result : results)
    if (!result) return std::move(result);
  return {};
}

Expected<std::string> load_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const auto file = open_regular_file(path);
  if (!file) return tl::unexpected(file.error());
  // The size is a first guess only: another process may be appending, and files of /proc say 0.
  constexpr std::size_t kChunk = 64u << 10;
  std::string text(std::min(file->size, max_bytes) + 1, '\0');
  std::size_t size = 0;
  while (size <= max_bytes) {
    const ssize_t got = read(file->descriptor.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse("cannot read", path, errno);
    size += static_cast<std::size_t>(got);
    // All that fstat has promised, or the end: no further read has to tell it.
    const bool whole = size == file->size && size > 0 && size <= max_bytes;
    if (got == 0 || whole) {
      text.resize(size);
      return text;
    }
    text.resize(std::min(size + kChunk, max_bytes + 1));
  }
  return fail(ExitCode::run_failed,
              path.string() + " is larger than " + std::to_string(max_bytes) + " bytes");
}

}  // namespace ddp
