#include "cli/store/run_removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/store/remove_tree.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderItself = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Expected<void> is_not_the_run(const RunPointer& run, const std::string& why) {
  return fail(ExitCode::run_failed, "'" + run.run_dir + "' is not deleted: " + why);
}

bool is_own_file(int folder, const char* name) {
  struct stat found {};
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode) &&
         found.st_uid == geteuid();
}

bool is_own_folder(const fs::path& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

bool names_its_run(const RunPointer& run) {
  const fs::path path = run.run_dir;
  return path.is_absolute() && path == path.lexically_normal() && path.filename() == run.run_id;
}

}  // namespace

fs::path removal_place(const RunPointer& run) {
  return fs::path(run.run_dir).parent_path() / (".deleting-" + run.run_id);
}

Expected<void> check_run_folder(const RunPointer& run) {
  if (!names_its_run(run)) return is_not_the_run(run, "it does not have the name of the run");
  const FileDescriptor folder(open(run.run_dir.c_str(), kFolderItself));
  if (!folder.is_open() && (errno == ELOOP || errno == ENOTDIR))
    return is_not_the_run(run, "it is not a folder itself");
  struct stat found {};
  if (!folder.is_open() || fstat(folder.get(), &found) != 0)
    return fail_errno(ExitCode::run_failed, "cannot open '" + run.run_dir + "'", errno);
  if (found.st_uid != geteuid()) return is_not_the_run(run, "it belongs to another user");
  const FileDescriptor ledger(openat(folder.get(), "ledger", kFolderItself));
  const bool has_ledger = ledger.is_open() && is_own_file(ledger.get(), "submit.jsonl");
  const bool has_plan = is_own_file(folder.get(), "plan.json") || is_own_file(folder.get(), "sweep.json");
  if (!has_ledger || !has_plan) return is_not_the_run(run, "it has no ledger or no plan of a run");
  return {};
}

Expected<void> begin_removal(const RunPointer& run) {
  if (auto checked = check_run_folder(run); !checked) return checked;
  const auto place = removal_place(run);
  if (rename(run.run_dir.c_str(), place.c_str()) != 0)
    return fail_errno(ExitCode::run_failed, "cannot rename '" + run.run_dir + "'", errno);
  return sync_folder(place.parent_path());
}

bool is_being_removed(const RunPointer& run) {
  struct stat found {};
  return names_its_run(run) && lstat(run.run_dir.c_str(), &found) != 0 && errno == ENOENT &&
         is_own_folder(removal_place(run));
}

Expected<void> finish_removal(const RunPointer& run, const RunStore& store) {
  const auto place = removal_place(run);
  if (is_own_folder(place)) {
    if (auto removed = remove_tree(place); !removed) return removed;
  }
  return sync_folder(place.parent_path()).and_then([&] { return remove_pointer(run, store); });
}

Expected<void> remove_pointer(const RunPointer& run, const RunStore& store) {
  std::error_code error;
  fs::remove(store.path_of(run.run_id), error);
  if (!error) return {};
  return fail(ExitCode::run_failed,
              "cannot delete '" + store.path_of(run.run_id).string() + "': " + error.message());
}

}  // namespace ddp::cli
