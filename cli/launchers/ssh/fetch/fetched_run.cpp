#include "cli/launchers/ssh/fetch/fetched_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "cli/launchers/ssh/connection/host_pool.hpp"
#include "cli/launchers/ssh/fetch/file_transfer.hpp"
#include "cli/launchers/ssh/push/restored_files.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "jobenv/config/utf8.hpp"
#include "jobenv/probe/disk_space.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kKeptCheckpoints = 2;
/// So that sums of sizes stay what they are.
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 46;
/// What the agent writes for a byte that is no UTF-8.
constexpr std::string_view kReplaced = "\xef\xbf\xbd";

/// On one line of a terminal.
std::string show_path(const std::string& path) {
  std::string text;
  for (const char byte : escape_control_characters(path)) text += byte == '\n' ? "\\n" : std::string(1, byte);
  return text;
}

/// Of several ddpsubmits that fetch the same run, one after the other does it.
FileDescriptor lock_fetch(const RunFolder& folder, CopyProgress& progress) {
  FileDescriptor file(open((folder.root() / ".copy.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file.is_open() && flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    progress.say("waiting for another ddpsubmit, which fetches the files of this run");
  while (file.is_open() && flock(file.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  return file;
}

class RunFetch {
 public:
  RunFetch(const std::vector<FetchPlace>& places, const RunFolder& folder, CopyProgress& progress)
      : places_(places),
        folder_(folder),
        progress_(progress),
        wanted_(places.size()),
        changed_(places.size()) {}

  Expected<Fetched> run() {
    const auto lock = lock_fetch(folder_, progress_);
    if (auto listed = list(); !listed) return tl::unexpected(listed.error());
    std::vector<remote::HostFile> all;
    for (const auto& files : wanted_) all.insert(all.end(), files.begin(), files.end());
    drop_broken_copies(folder_, all);
    if (auto room = check_room(); !room) return tl::unexpected(room.error());
    std::vector<Expected<void>> done(places_.size());
    do_on_all(places_.size(), [&](std::size_t index) { done[index] = copy(index); });
    for (auto& one : done)
      if (!one) return tl::unexpected(std::move(one.error()));
    drop_broken_copies(folder_);
    tell_changed();
    if (auto saved = save_origins(folder_, origins_); !saved) return tl::unexpected(saved.error());
    if (fetched_.checkpoint && !has_all_files(*fetched_.checkpoint)) fetched_.checkpoint.reset();
    return std::move(fetched_);
  }

 private:
  Expected<void> list() {
    std::vector<Expected<remote::FilesListed>> lists(places_.size());
    do_on_all(places_.size(), [&](std::size_t index) {
      std::vector<std::string> folders{"output"};
      if (index == 0) folders.emplace_back("checkpoints");
      lists[index] = ask_for<remote::FilesListed>(*places_[index].host, places_[index].name,
                                                  remote::ListFiles{folder_.run_id(), std::move(folders)});
    });
    for (std::size_t index = 0; index < places_.size(); ++index) {
      if (!lists[index] && index == 0) return tl::unexpected(lists[index].error());
      if (!lists[index])
        fetched_.errors.push_back(lists[index].error());
      else if (lists[index]->files.size() > remote::kMostListedFiles)
        return fail(ExitCode::run_failed,
                    fmt::format("{}: the run has written more than {} files", places_[index].name,
                                remote::kMostListedFiles),
                    "copy them with another program, such as rsync, or write fewer and larger ones");
      else
        choose(index, *lists[index]);
    }
    return {};
  }

  void choose(std::size_t index, const remote::FilesListed& listed) {
    const auto newest = index == 0 ? find_newest_checkpoint(listed.files) : std::nullopt;
    const auto checkpoint = newest ? "checkpoints/" + *newest + "/" : std::string();
    if (newest) fetched_.checkpoint = folder_.checkpoints() / *newest;
    for (const auto& file : listed.files) {
      const bool is_wanted =
          file.path.starts_with("output/") || (newest && file.path.starts_with(checkpoint));
      if (is_wanted) add(index, file);
    }
    for (const auto& path : listed.left_out) leave_out(index, path, "is a link, or no regular file");
  }

  void add(std::size_t index, const remote::HostFile& file) {
    if (!stays_below(file.path) || has_control_character(file.path) ||
        file.path.find(kReplaced) != std::string::npos)
      return leave_out(index, file.path, "has a name that is not fetched");
    if (file.size > kLargestFile) return leave_out(index, file.path, "is too large");
    if (!names_.insert(file.path).second)
      return leave_out(index, file.path, "is there on " + places_.front().name + ", too");
    if (file.path.starts_with("output/")) origins_[file.path] = places_[index].name;
    ++fetched_.files;
    if (!is_here(folder_, file)) wanted_[index].push_back(file);
  }

  /// One that is written to just now comes with the next fetch.
  void tell_changed() {
    for (std::size_t index = 0; index < places_.size(); ++index)
      for (const auto& path : changed_[index]) leave_out(index, path, "changed while it was copied");
  }

  void leave_out(std::size_t index, const std::string& path, const std::string& why) {
    fetched_.left_out.push_back(fmt::format("'{}' on {} {}", show_path(path), places_[index].name, why));
  }

  Expected<void> check_room() {
    std::uint64_t needed = 0;
    for (std::size_t index = 0; index < places_.size(); ++index) {
      std::uint64_t bytes = 0;
      for (const auto& file : wanted_[index]) bytes += file.size - bytes_here(folder_, file);
      if (!wanted_[index].empty()) announce(index, bytes);
      needed += bytes;
    }
    fetched_.bytes = needed;
    const auto disk = measure_disk(folder_.root());
    if (!disk || needed <= disk->free_bytes) return {};
    return fail(ExitCode::run_failed,
                fmt::format("'{}' has too little room: {} are needed, {} are free", folder_.root().string(),
                            render_file_size(needed), render_file_size(disk->free_bytes)),
                "remove old runs: ddpsubmit prune");
  }

  void announce(std::size_t index, std::uint64_t bytes) {
    const auto& name = places_[index].name;
    progress_.expect(name, bytes);
    progress_.say(fmt::format("fetching {} from {}: {}", render_file_size(bytes), name,
                              render_count(wanted_[index].size(), "file")));
  }

  /// The manifest of a checkpoint comes last.
  Expected<void> copy(std::size_t index) {
    auto& files = wanted_[index];
    std::ranges::stable_partition(files, [](const remote::HostFile& file) {
      return fs::path(file.path).filename() != "manifest.json";
    });
    for (const auto& file : files) {
      const auto copied =
          fetch_file(*places_[index].host, places_[index].name, folder_.run_id(), folder_, file, progress_);
      if (!copied) return tl::unexpected(copied.error());
      if (*copied == FileCopy::changed) changed_[index].push_back(file.path);
    }
    return {};
  }

  const std::vector<FetchPlace>& places_;
  const RunFolder& folder_;
  CopyProgress& progress_;
  std::vector<std::vector<remote::HostFile>> wanted_;  ///< by place
  std::vector<std::vector<std::string>> changed_;      ///< by place
  std::set<std::string> names_;
  std::map<std::string, std::string> origins_ = load_origins(folder_);  ///< hosts of files in output/
  Fetched fetched_;
};

}  // namespace

Expected<Fetched> fetch_run(const std::vector<FetchPlace>& places, const RunFolder& folder,
                            CopyProgress& progress) {
  return RunFetch(places, folder, progress).run();
}

void drop_old_checkpoints(const RunFolder& folder) {
  const auto names = list_checkpoints(folder.checkpoints());
  if (!names) return;
  int whole = 0;
  for (const auto& name : *names) {
    const fs::path checkpoint = folder.checkpoints() / render_checkpoint_name(name);
    if (name.kind != CheckpointName::Kind::committed || !has_all_files(checkpoint)) continue;
    std::error_code ignored;
    if (++whole > kKeptCheckpoints) fs::remove_all(checkpoint, ignored);
  }
}

}  // namespace ddp::cli
