#include "cli/launch/start/keep_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "cli/source/changes.hpp"
#include "cli/source/gone_files.hpp"
#include "cli/source/tree_copy.hpp"
#include "cli/source/tree_list.hpp"
#include "cli/store/source_record.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// The folder that is kept does not exist, or is being made: of a ddpsubmit that was killed.
fs::path incomplete_of(const RunFolder& folder) {
  return folder.source().parent_path() / ".source.incomplete";
}

bool has_copy(const RunFolder& folder) {
  std::error_code error;
  return fs::is_directory(folder.source_tree(), error);
}

/// By whichever submission; of a sweep, any of its points.
bool has_run(const RunFolder& folder) {
  const RunFolder base = folder.point() ? folder.sweep() : folder;
  if (base.highest_attempt().value_or(-1) >= 0) return true;
  std::error_code error;
  for (fs::directory_iterator point(base.points(), error), end; !error && point != end;
       point.increment(error)) {
    if (RunFolder(point->path()).highest_attempt().value_or(-1) >= 0) return true;
  }
  return false;
}

/// All that was written to the file system of `path` outlives a crash of this machine: nobody would notice
/// that a source file is empty then.
Expected<void> sync_file_system(const fs::path& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open() && syncfs(folder.get()) == 0) return {};
  return fail_errno(ExitCode::run_failed, "cannot write '" + path.string() + "'", errno);
}

class SourceKeeper {
 public:
  SourceKeeper(const LaunchRequest& request, const LauncherSeams& seams)
      : request_(request), seams_(seams), tree_(find_work_tree(request.plan.submit_dir)) {}

  Expected<void> run() {
    const fs::path incomplete = incomplete_of(request_.folder);
    auto kept = fill(incomplete).and_then([&] { return put_in_place(incomplete); });
    std::error_code ignored;
    if (!kept) fs::remove_all(incomplete, ignored);
    return kept;
  }

 private:
  Expected<void> fill(const fs::path& incomplete) {
    std::error_code ignored;
    fs::remove_all(incomplete, ignored);
    if (mkdir(incomplete.c_str(), 0700) != 0)
      return fail_errno(ExitCode::run_failed, "cannot create '" + incomplete.string() + "'", errno);
    record_.folder = request_.plan.submit_dir;
    record_.root = tree_.root.string();
    if (const auto source = find_source_revision(request_.plan.submit_dir)) {
      record_.commit = source->commit;
      record_.branch = source->branch;
    }
    if (auto noted = note_changes(incomplete); !noted) return noted;
    if (auto copied = copy(incomplete / request_.folder.source_tree().filename()); !copied) return copied;
    return save_file(incomplete / request_.folder.source_record().filename(), render_source_record(record_),
                     Durability::visible);
  }

  Expected<void> note_changes(const fs::path& incomplete) {
    auto changes = find_changes(tree_, seams_.submitter, seams_.system.runner);
    if (changes.known) record_.dirty = !changes.files.empty();
    record_.changed = std::move(changes.files);
    record_.remarks = std::move(changes.remarks);
    record_.has_diff = !changes.diff.empty();
    if (!record_.has_diff) return {};
    return save_file(incomplete / request_.folder.source_diff().filename(), changes.diff,
                     Durability::visible);
  }

  Expected<void> copy(const fs::path& target) {
    const RunSpec& spec = request_.spec;
    if (!spec.keeps_snapshot()) return {};
    const auto list = list_tree(tree_, seams_.submitter, seams_.system.runner);
    if (!list) return tl::unexpected(list.error());
    if (auto error = find_too_large(*list, tree_, spec.snapshot_limit())) return tl::unexpected(*error);
    auto copied = copy_tree(*list, tree_.root, target);
    if (copied && !copied->gone.empty()) {
      const auto now = list_tree(tree_, seams_.submitter, seams_.system.runner);
      if (!now) return tl::unexpected(now.error());
      copied = copy_gone_files(*copied, *now, tree_.root, target);
    }
    if (!copied) return tl::unexpected(copied.error());
    const auto remarks = remark_on_gone_files(*copied, tree_.root);
    if (!remarks) return tl::unexpected(remarks.error());
    record_.remarks.insert(record_.remarks.end(), remarks->begin(), remarks->end());
    record_.copied = true;
    record_.files = copied->files;
    record_.bytes = copied->bytes;
    std::error_code error;  // of a folder from which nothing is copied
    fs::create_directories(target / tree_.folder, error);
    return {};
  }

  Expected<void> put_in_place(const fs::path& incomplete) const {
    if (record_.copied) {
      if (auto synced = sync_file_system(incomplete); !synced) return synced;
    }
    std::error_code error;
    fs::remove_all(request_.folder.source(),
                   error);  // what an earlier submission has recorded, without a copy
    if (!error) fs::rename(incomplete, request_.folder.source(), error);
    if (!error)
      return record_.copied ? sync_folder(request_.folder.source().parent_path()) : Expected<void>();
    return fail_errno(ExitCode::run_failed, "cannot create '" + request_.folder.source().string() + "'",
                      error.value());
  }

  const LaunchRequest& request_;
  const LauncherSeams& seams_;
  WorkTree tree_;
  SourceRecord record_;
};

}  // namespace

Expected<void> keep_source(const LaunchRequest& request, const LauncherSeams& seams) {
  if (!request.spec.keeps_snapshot()) {
    return request.spec.environment.record_diff ? SourceKeeper(request, seams).run() : Expected<void>();
  }
  if (has_copy(request.folder)) return {};
  if (!has_run(request.folder)) return SourceKeeper(request, seams).run();
  return fail(ExitCode::not_found,
              "the copy of the working tree that this run is made of is gone: '" +
                  request.folder.source_tree().string() + "'",
              "start a new run: ddpsubmit run CONFIG");
}

std::optional<SourceRevision> find_revision_of(const LaunchRequest& request) {
  if (!request.spec.keeps_snapshot() || !has_copy(request.folder))
    return find_source_revision(request.plan.submit_dir);
  const auto record = load_source_record(request.folder);
  if (!record || record->commit.empty()) return std::nullopt;
  return SourceRevision{record->commit, record->branch};
}

}  // namespace ddp::cli
