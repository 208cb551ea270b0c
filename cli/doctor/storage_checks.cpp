#include <stdlib.h>

#include <cerrno>

#include "cli/doctor/check.hpp"
#include "cli/doctor/disk_verdict.hpp"
#include "cli/store/run_store.hpp"
#include "cli/system/folder_probe.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// Writes a file in a new folder of its own, and takes both away.
Expected<void> try_to_write(const fs::path& folder) {
  std::string scratch = folder / ".ddpsubmit-doctor-XXXXXX";
  if (mkdtemp(scratch.data()) == nullptr)
    return fail_errno(ExitCode::preflight_failed, "cannot write to " + folder.string(), errno);
  auto saved = save_file(fs::path(scratch) / "file", "doctor", Durability::synced);
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return saved;
}

Finding refused(const std::string& why, const std::string& advice) {
  return {.verdict = Verdict::error, .found = why, .advice = advice};
}

}  // namespace

Finding check_run_root(const CheckSubject& subject) {
  const auto folder = existing_part(subject.run_root);
  const std::string advice = "choose a folder with run_root=DIR that this machine and all nodes can write to";
  if (const auto written = try_to_write(folder); !written) return refused(written.error().message, advice);
  if (const auto followed = follow_path(folder, Way::shared); !followed)
    return refused(followed.error().message, followed.error().hint);
  const auto disk = measure_disk(folder);
  if (!disk) return refused(disk.error().message, advice);
  auto finding = judge_disk(*disk);
  const bool there = folder == subject.run_root;
  finding.found = subject.run_root.string() + (there ? ": " : " (does not exist yet): ") + finding.found;
  return finding;
}

Finding check_state_folder(const CheckSubject& subject) {
  const auto store = RunStore::open(subject.seams.submitter);
  if (!store) return refused(store.error().message, "set HOME or XDG_STATE_HOME");
  const auto folder = existing_part(store->folder());
  if (const auto written = try_to_write(folder); !written)
    return refused(written.error().message, "set XDG_STATE_HOME to a folder of your own");
  return {.found = store->folder().string() + " is writable"};
}

}  // namespace ddp::cli
