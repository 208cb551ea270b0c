#include "cli/launch/start_run.hpp"

#include <algorithm>
#include <numeric>

#include "cli/launch/job_base_environment.hpp"
#include "cli/launch/launch_plan_builder.hpp"
#include "cli/launch/programs.hpp"
#include "cli/launch/run_root.hpp"
#include "cli/spec/render_spec.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/config/config_node.hpp"
#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/ledger.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

/// Programs of ddpsubmit can be named in `command:` wherever it is installed, but never hide another of that
/// name.
void append_to_path(EnvMap& environment, const std::string& folder) {
  const auto path = environment.get("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  environment.set("PATH", path + ":" + folder);
}

Expected<json> collect_secrets(const EnvironmentSpec& spec, const EnvMap& submitter) {
  json secrets = json::object();
  for (const auto& name : spec.secrets) {
    const auto value = submitter.get(name);
    if (!value) {
      return fail(ExitCode::config_invalid, "environment.secrets: '" + name + "' is not set",
                  "export it, then submit again");
    }
    secrets[name] = *value;
  }
  return secrets;
}

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

json origin_fields(const Launcher& launcher, const Host& host) {
  json fields = {{"launcher", launcher.name()}, {"host", host.name()}, {"user", host.user()}};
  if (auto cluster = launcher.cluster(); !cluster.empty()) fields["cluster"] = std::move(cluster);
  return fields;
}

json submitted_fields(std::string_view launcher, const Submission& submission, const Host& host) {
  json fields = {{"launcher", launcher}, {"host", host.name()}};
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
  const bool cancelled = ledger && std::ranges::any_of(*ledger, [&request](const LedgerEvent& event) {
                           return event.event == "cancel_requested" &&
                                  event.fields.value("token", json()) == json(request.token);
                         });
  if (!cancelled) return;
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
  const auto recorded = open.ledger.append("submitted", submitted_fields(launcher.name(), *submission, host),
                                           Durability::visible);
  obey_early_cancel(request, *submission, launcher);
  if (recorded && submission->doubt) return tl::unexpected(*submission->doubt);
  if (recorded) return submission;
  return fail(ExitCode::outcome_unknown,
              "the run was submitted" + (submission->job_id.empty() ? "" : " as job " + submission->job_id) +
                  ", but that could not be recorded: " + recorded.error().message,
              "its token is " + request.token + "; do not submit again before you have looked for it");
}

/// What has been found of another point already is left out.
void append(Preflight more, Preflight& found) {
  const auto is_known = [&found](const Error& error) {
    return std::ranges::any_of(found.errors,
                               [&error](const Error& known) { return known.message == error.message; });
  };
  for (auto& error : more.errors) {
    if (!is_known(error)) found.errors.push_back(std::move(error));
  }
  for (auto& warning : more.warnings) {
    if (std::ranges::find(found.warnings, warning) == found.warnings.end())
      found.warnings.push_back(std::move(warning));
  }
}

/// Of one run, or of one point of a sweep.
Preflight preflight_one(const LaunchRequest& request, const PlanPaths& paths, const Launcher& launcher) {
  auto found = launcher.preflight(request);
  const auto missing = find_missing_programs(request.spec, paths, request.environment);
  found.errors.insert(found.errors.begin(), missing.begin(), missing.end());
  return found;
}

/// As if no limit of the launcher stood in the way.
SweepPart whole_sweep(const RunSpec& spec) {
  SweepPart part;
  part.tasks.resize(spec.points.size());
  std::iota(part.tasks.begin(), part.tasks.end(), 0);
  if (spec.sweep_options.at_once) part.at_once = static_cast<int>(*spec.sweep_options.at_once);
  return part;
}

}  // namespace

RunFolder choose_folder(const RunSpec& spec, std::chrono::system_clock::time_point now) {
  const auto id = make_run_id(spec.name, now, static_cast<std::uint32_t>(random_number()));
  return RunFolder(std::filesystem::path(spec.run_root) / id);
}

Expected<PreparedRun> prepare_run(RunSpec spec, RunPlace place, const Launcher& launcher, std::string token) {
  auto base = job_base_environment(place.submitter, spec.environment, spec.launcher);
  append_to_path(base.environment, place.own_folder);
  auto paths = locate_programs(spec, place.own_folder, place.work_dir, base.environment);
  auto plan = make_launch_plan(spec, place.folder, paths);
  PreparedRun run{.request = {.spec = std::move(spec),
                              .plan = std::move(plan),
                              .folder = std::move(place.folder),
                              .environment = std::move(base.environment),
                              .token = std::move(token)},
                  .paths = std::move(paths),
                  .script = std::nullopt,
                  .dropped = std::move(base.dropped)};
  if (!run.request.spec.points.empty()) run.request.part = whole_sweep(run.request.spec);
  auto script = launcher.render_script(run.request);
  if (!script) return tl::unexpected(script.error());
  run.script = std::move(*script);
  return run;
}

Preflight preflight(const PreparedRun& run, const Launcher& launcher) {
  Preflight found;
  const auto& points = run.request.spec.points;
  if (points.empty()) found = preflight_one(run.request, run.paths, launcher);
  for (const RunSpec& point : points) {
    const LaunchRequest request{.spec = point,
                                .plan = run.request.plan,
                                .folder = run.request.folder,
                                .environment = run.request.environment,
                                .token = run.request.token};
    append(preflight_one(request, paths_of_point(point, run), launcher), found);
  }
  sort_errors(found.errors);
  return found;
}

PlanPaths paths_of_point(const RunSpec& point, const PreparedRun& sweep) {
  return locate_programs(point, std::filesystem::path(sweep.paths.agent).parent_path(), sweep.paths.work_dir,
                         sweep.request.environment);
}

tl::expected<std::vector<std::string>, Errors> check_run(const PreparedRun& run, Launcher& launcher,
                                                         const LauncherSeams& seams) {
  const auto& spec = run.request.spec;
  auto found = preflight(run, launcher);
  if (const auto secrets = collect_secrets(spec.environment, seams.submitter); !secrets)
    found.errors.push_back(secrets.error());
  if (auto missing = find_unlinked_trainer(spec, run.paths, run.request.environment, seams.system.runner))
    found.errors.push_back(std::move(*missing));
  const auto root = judge_run_root(spec, seams.system.host.probe(spec.run_root));
  if (root.error) found.errors.push_back(*root.error);
  if (root.warning) found.warnings.push_back(*root.warning);
  LaunchRequest asked = run.request;
  asked.part.reset();  // how many points go into one array is asked when they are submitted
  append(launcher.check(asked), found);
  sort_errors(found.errors);
  if (!found.errors.empty()) return tl::unexpected(std::move(found.errors));
  return std::move(found.warnings);
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
                     .launcher = std::string(launcher.name()),
                     .job_id = {},
                     .created = seams.system.clock.now()};
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
