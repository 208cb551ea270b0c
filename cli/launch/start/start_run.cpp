#include "cli/launch/start/start_run.hpp"

#include "cli/spec/render_spec.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

Expected<void> save_secrets(const PreparedRun& run, const EnvMap& submitter) {
  const auto secrets = collect_secrets(run.request.spec.environment, submitter);
  if (!secrets) return tl::unexpected(secrets.error());
  if (secrets->empty()) return {};
  return save_file(run.request.folder.secrets(), secrets->dump() + "\n", Durability::visible);
}

}  // namespace

/// Not synced: should this machine crash before the system has written them, the job says at its start that
/// they cannot be used. What may not be lost is that it was submitted.
Expected<void> save_run_files(const PreparedRun& run, const EnvMap& submitter) {
  const auto& request = run.request;
  if (auto saved = save_secrets(run, submitter); !saved) return saved;
  if (auto saved = save_file(request.folder.spec(), render_spec(request.spec), Durability::visible); !saved)
    return saved;
  if (run.script) {
    if (auto saved = save_file(request.folder.script(), *run.script, Durability::visible); !saved)
      return saved;
  }
  return save_file(request.folder.plan(), to_json(request.plan).dump(2) + "\n", Durability::visible);
}

json origin_fields(Launcher& launcher, const Host& host) {
  json fields = {{"launcher", launcher.row().name}, {"host", host.name()}, {"user", host.user()}};
  auto* const queue = launcher.queue();
  if (auto cluster = queue != nullptr ? queue->cluster() : std::string(); !cluster.empty())
    fields["cluster"] = std::move(cluster);
  return fields;
}

json submitted_fields(std::string_view launcher, const Submission& submission, const Host& host) {
  json fields = {{"launcher", launcher}, {"host", submission.head ? submission.head->host : host.name()}};
  if (!submission.job_id.empty()) fields["job_id"] = submission.job_id;
  if (!submission.cluster.empty()) fields["cluster"] = submission.cluster;
  if (!submission.twins.empty()) fields["twins"] = submission.twins;
  if (submission.head) {
    fields["pid"] = submission.head->pid;
    fields["pid_start"] = submission.head->start;
    fields["boot_id"] = submission.head->boot_id;
  }
  return fields;
}

void obey_early_cancel(const LaunchRequest& request, const Submission& submission, Launcher& launcher) {
  if (submission.job_id.empty()) return;
  const auto ledger = load_ledger(request.folder);
  if (!ledger || !is_cancel_requested(*ledger, request.token)) return;
  RunStatus job;
  job.name = request.spec.name;
  job.job_id = submission.job_id;
  job.token = request.token;
  (void)launcher.cancel(std::span(&job, 1));
}

namespace {

/// The ledger's writer, and what keeps others from taking this submission for one that died.
struct OpenSubmission {
  LedgerWriter ledger;
  FileDescriptor lock;
};

Expected<OpenSubmission> record_intent(const PreparedRun& run, const json& origin, FileDescriptor lock) {
  auto ledger = LedgerWriter::open(run.request.folder, "submit", Durability::visible);
  if (!ledger) return tl::unexpected(ledger.error());
  if (!lock.is_open()) {
    auto locked = lock_if_possible(run.request.folder);
    if (!locked) return tl::unexpected(locked.error());
    lock = std::move(*locked);
  }
  json intent = origin;
  intent["token"] = run.request.token;
  intent["dropped"] = run.dropped;
  if (auto recorded = ledger->append("submit_intent", intent, Durability::visible); !recorded)
    return tl::unexpected(recorded.error());
  return OpenSubmission{std::move(*ledger), std::move(lock)};
}

/// A point of a sweep is found through the sweep.
Expected<void> save_pointer(const RunPointer& pointer, const RunStore& store) {
  return RunFolder(pointer.run_dir).point() ? Expected<void>{} : store.save(pointer, Durability::visible);
}

/// That the run exists, and may have been submitted, outlives a crash of this machine.
Expected<void> sync_intent(const RunFolder& folder, const RunPointer& pointer, const RunStore& store) {
  std::vector<std::filesystem::path> paths{folder.ledger_of("submit"), folder.ledger(), folder.root(),
                                           folder.root().parent_path()};
  if (!folder.point()) paths.insert(paths.end(), {store.path_of(pointer.run_id), store.folder()});
  return sync_together(paths);
}

/// All that is on disk before the launcher is asked. The ledger has the intent.
Expected<OpenSubmission> write_run(const PreparedRun& run, const RunPointer& pointer, const RunStore& store,
                                   const EnvMap& submitter, const json& origin, FileDescriptor lock) {
  if (auto saved = save_run_files(run, submitter); !saved) return tl::unexpected(saved.error());
  if (auto saved = save_pointer(pointer, store); !saved) return tl::unexpected(saved.error());
  auto open = record_intent(run, origin, std::move(lock));
  if (!open) return open;
  if (auto synced = sync_intent(run.request.folder, pointer, store); !synced)
    return tl::unexpected(synced.error());
  return open;
}

/// Leaves nothing of a run that could not be written, and was never submitted.
Expected<OpenSubmission> write_fresh_run(const PreparedRun& run, const RunPointer& pointer,
                                         const RunStore& store, const EnvMap& submitter, const json& origin,
                                         FileDescriptor lock) {
  const auto& folder = run.request.folder;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(folder.root(), ignored);  // it is then another run's
  auto created = folder.create(Durability::visible);
  auto opened = created ? write_run(run, pointer, store, submitter, origin, std::move(lock))
                        : tl::unexpected(created.error());
  if (opened || existed) return opened;
  store.remove(pointer.run_id);
  std::filesystem::remove_all(folder.root(), ignored);
  return opened;
}

/// Between the intent and the answer nobody can say whether there is a job: both are on disk before anything
/// follows. The ledger of `open` has the intent.
Expected<Submission> submit_recorded(const LaunchRequest& request, Attachment attachment, Launcher& launcher,
                                     const Host& host, OpenSubmission& open) {
  auto submission = launcher.submit(request, attachment, open.lock.get());
  if (!submission) {
    if (submission.error().code != ExitCode::outcome_unknown) {
      (void)open.ledger.append("submit_refused", {{"message", submission.error().message}});
      std::error_code ignored;  // most runs have no secrets
      std::filesystem::remove(request.folder.secrets(), ignored);
    }
    return submission;
  }
  const auto recorded = open.ledger.append(
      "submitted", submitted_fields(launcher.row().name, *submission, host), Durability::visible);
  obey_early_cancel(request, *submission, launcher);
  if (recorded && submission->doubt) return tl::unexpected(*submission->doubt);
  if (recorded) return submission;
  return fail(ExitCode::outcome_unknown,
              "the run was submitted" + (submission->job_id.empty() ? "" : " as job " + submission->job_id) +
                  ", but that could not be recorded: " + recorded.error().message,
              "its token is " + request.token + "; do not submit again before you have looked for it");
}

}  // namespace

std::chrono::system_clock::time_point created_at(const RunFolder& folder, const RunStore& store,
                                                 Clock& clock) {
  const auto earlier = store.created_at(folder.run_id());
  return earlier ? *earlier : clock.now();
}

Expected<StartedRun> start_run(const PreparedRun& run, FolderKind kind, Attachment attachment,
                               Launcher& launcher, const LauncherSeams& seams, FileDescriptor lock) {
  const auto store = RunStore::open(seams.submitter);
  if (!store) return tl::unexpected(store.error());
  if (auto created = store->create(); !created) return tl::unexpected(created.error());
  StartedRun started;
  started.pointer = {.run_id = run.request.folder.run_id(),
                     .name = run.request.spec.name,
                     .run_dir = run.request.folder.root(),
                     .launcher = std::string(launcher.row().name),
                     .job_id = {},
                     .created = created_at(run.request.folder, *store, seams.system.clock)};
  if (kind != FolderKind::fresh) {
    if (auto secured = run.request.folder.secure(); !secured) return tl::unexpected(secured.error());
  }
  const auto write = kind == FolderKind::fresh ? write_fresh_run : write_run;
  const auto origin = origin_fields(launcher, seams.system.host);
  auto open = write(run, started.pointer, *store, seams.submitter, origin, std::move(lock));
  if (!open) return tl::unexpected(open.error());
  auto submission = submit_recorded(run.request, attachment, launcher, seams.system.host, *open);
  if (!submission) return tl::unexpected(submission.error());
  started.submission = std::move(*submission);
  if (started.submission.job_id.empty()) return started;
  started.pointer.job_id = started.submission.job_id;
  // It only lets the job's id stand for the run: the run is submitted whether this can be written or not.
  (void)save_pointer(started.pointer, *store);
  return started;
}

}  // namespace ddp::cli
