#include "cli/launch/preflight/run_root.hpp"

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLooked = 200;

/// A folder with a batch script and a claimed attempt: a node made the claim, and it is seen here.
bool has_written_from_node(const fs::path& run_root) {
  std::error_code error;
  int looked = 0;
  for (fs::directory_iterator entry(run_root, error), end; !error && entry != end && looked < kMostLooked;
       entry.increment(error), ++looked) {
    const RunFolder run(entry->path());
    std::error_code ignored;
    if (fs::exists(run.script(), ignored) && fs::exists(run.claim(0), ignored)) return true;
  }
  return false;
}

}  // namespace

RunRootVerdict judge_run_root(const RunSpec& spec, const FolderProbe& probe) {
  RunRootVerdict verdict;
  if (!probe.problem.empty()) {
    verdict.error = {ExitCode::preflight_failed,
                     "run_root is '" + spec.run_root + "', but nothing can be written to '" +
                         probe.existing.string() + "': " + probe.problem,
                     "set run_root to a folder that you can write to", spec.origins.mark("run_root")};
  } else if (probe.exposure) {
    verdict.error = probe.exposure->context("run_root is '" + spec.run_root + "'");
    verdict.error->where = spec.origins.mark("run_root");
  }
  if (!probe.note.empty()) verdict.warnings.push_back("run_root: " + probe.note);
  if (spec.launcher->has_scheduler() && probe.sharing == Sharing::this_host &&
      !has_written_from_node(spec.run_root)) {
    verdict.warnings.push_back("run_root is on a local disk (" + probe.file_system +
                               "): the nodes may not see it. Check with: ddpsubmit doctor FILE");
  }
  return verdict;
}

}  // namespace ddp::cli
