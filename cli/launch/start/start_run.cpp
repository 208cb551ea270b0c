#include "cli/launch/start/start_run.hpp"

#include "cli/launch/start/earlier_settings.hpp"
#include "cli/launch/start/keep_source.hpp"
#include "cli/launch/start/submit_once.hpp"
#include "cli/spec/render_spec.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

Expected<void> save_secrets(const PreparedRun& run, const EnvMap& submitter) {
  const auto secrets = collect_secrets(run.request.spec.environment, submitter);
  if (!secrets) return tl::unexpected(secrets.error());
  if (secrets->empty()) return {};
  return save_file(run.request.folder.secrets(), secrets->dump() + "\n", Durability::visible);
}

}  // namespace

Expected<void> save_run_files(const PreparedRun& run, const EnvMap& submitter) {
  const auto& request = run.request;
  if (auto saved = save_secrets(run, submitter); !saved) return saved;
  const auto spec = render_spec(request.spec);
  if (auto saved = save_file(request.folder.spec(), spec, Durability::visible); !saved) return saved;
  if (run.script) {
    if (auto saved = save_file(request.folder.script(), *run.script, Durability::visible); !saved)
      return saved;
  }
  auto plan = request.plan;
  plan.spec_checksum = checksum_of_spec(spec);
  return save_file(request.folder.plan(), to_json(plan).dump(2) + "\n", Durability::visible);
}

std::vector<std::filesystem::path> run_files(const RunFolder& folder) {
  std::vector<std::filesystem::path> paths{folder.secrets(), folder.spec(), folder.script(), folder.plan()};
  std::erase_if(paths, [](const auto& path) { return !std::filesystem::exists(path); });
  paths.push_back(folder.root());
  return paths;
}

namespace {

/// A point of a sweep is found through the sweep.
Expected<void> save_pointer(const RunPointer& pointer, const RunStore& store) {
  return RunFolder(pointer.run_dir).point() ? Expected<void>{} : store.save(pointer, Durability::visible);
}

/// That the run exists, and may have been submitted, outlives a crash of this machine, and so does what a
/// rerun needs.
Expected<void> sync_intent(const PreparedRun& run, const RunPointer& pointer, const RunStore& store) {
  const auto& folder = run.request.folder;
  auto paths = run_files(folder);
  paths.insert(paths.end(), {folder.ledger_of("submit"), folder.ledger(), folder.root().parent_path()});
  if (!folder.point()) paths.insert(paths.end(), {store.path_of(pointer.run_id), store.folder()});
  return sync_together(paths);
}

/// All that is on disk before the launcher is asked. The ledger has the intent, and only then the source is
/// copied: whoever finds a run whose ddpsubmit was killed meanwhile sees that it was not submitted.
Expected<OpenSubmission> write_run(const PreparedRun& run, const RunPointer& pointer, const RunStore& store,
                                   const LauncherSeams& seams, const event::SubmitIntent& intent,
                                   FileDescriptor lock) {
  if (auto saved = save_run_files(run, seams.submitter); !saved) return tl::unexpected(saved.error());
  if (auto saved = save_pointer(pointer, store); !saved) return tl::unexpected(saved.error());
  auto open = open_submission(run.request.folder, std::move(lock), Durability::visible);
  if (!open) return open;
  if (auto recorded = open->ledger.append(intent, Durability::visible); !recorded)
    return tl::unexpected(recorded.error());
  if (auto synced = sync_intent(run, pointer, store); !synced) return tl::unexpected(synced.error());
  if (auto kept = keep_source(run.request, seams); !kept) {
    (void)open->ledger.append(event::SubmitRefused{.token = {}, .message = kept.error().message});
    return tl::unexpected(kept.error());
  }
  return open;
}

/// Leaves nothing of a run that could not be written, and was never submitted.
Expected<OpenSubmission> write_fresh_run(const PreparedRun& run, const RunPointer& pointer,
                                         const RunStore& store, const LauncherSeams& seams,
                                         const event::SubmitIntent& intent, FileDescriptor lock) {
  const auto& folder = run.request.folder;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(folder.root(), ignored);  // it is then another run's
  auto created = folder.create(Durability::visible);
  auto opened = created ? write_run(run, pointer, store, seams, intent, std::move(lock))
                        : tl::unexpected(created.error());
  if (!opened && !existed) discard_run(folder, store);
  return opened;
}

}  // namespace

RunPointer make_pointer(const LaunchRequest& request, Launcher& launcher, const RunStore& store,
                        Clock& clock) {
  const auto run_id = request.folder.run_id();
  const auto earlier = store.created_at(run_id);
  return {.run_id = run_id,
          .name = request.spec.name,
          .run_dir = request.folder.root(),
          .launcher = std::string(launcher.row().name),
          .job_id = {},
          .created = earlier ? *earlier : clock.now()};
}

void discard_run(const RunFolder& folder, const RunStore& store) {
  store.remove(folder.run_id());
  std::error_code ignored;
  std::filesystem::remove_all(folder.root(), ignored);
}

Expected<StartedRun> start_run(const PreparedRun& run, FolderKind kind, Attachment attachment,
                               Launcher& launcher, const LauncherSeams& seams, FileDescriptor lock) {
  const auto store = RunStore::open(seams.submitter);
  if (!store) return tl::unexpected(store.error());
  if (auto created = store->create(); !created) return tl::unexpected(created.error());
  StartedRun started;
  started.pointer = make_pointer(run.request, launcher, *store, seams.system.clock);
  EarlierSettings earlier;
  if (kind != FolderKind::fresh) {
    if (auto gone = launcher.await_no_earlier_ranks(run.request); !gone) return tl::unexpected(gone.error());
    earlier.remember(run.request.folder);
    if (auto secured = run.request.folder.secure(); !secured) return tl::unexpected(secured.error());
  }
  const auto write = kind == FolderKind::fresh ? write_fresh_run : write_run;
  const auto intent = make_intent(run.request, run.dropped, launcher, seams.system.host);
  auto open = write(run, started.pointer, *store, seams, intent, std::move(lock));
  if (!open) return earlier.give_up(open.error());
  auto submission = submit_once(run.request, attachment, launcher, seams.system.host, *open);
  if (!submission) return earlier.give_up(submission.error());
  started.submission = std::move(*submission);
  if (started.submission.job_id.empty()) return started;
  started.pointer.job_id = started.submission.job_id;
  // It only lets the job's id stand for the run: the run is submitted whether this can be written or not.
  (void)save_pointer(started.pointer, *store);
  return started;
}

}  // namespace ddp::cli
