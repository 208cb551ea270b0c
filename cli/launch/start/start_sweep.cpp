#include "cli/launch/start/start_sweep.hpp"

#include <limits>

#include "cli/launch/start/earlier_settings.hpp"
#include "cli/launch/start/keep_source.hpp"
#include "cli/launch/start/submit_once.hpp"
#include "cli/spec/render_spec.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

SweepRecord record_of(const RunSpec& spec) {
  SweepRecord record;
  for (const NamedList& axis : spec.sweep) record.keys.push_back(axis.name);
  for (std::size_t point = 0; point < spec.points.size(); ++point) {
    auto& values = record.points.emplace_back();
    for (const auto& text : spec.sweep_values(point)) values.push_back(parse_sweep_value(text));
  }
  if (spec.sweep_options.at_once) record.at_once = static_cast<int>(*spec.sweep_options.at_once);
  return record;
}

/// Writes what every part of a sweep needs, and submits the parts.
class SweepStart {
 public:
  SweepStart(SweepOrder order, Attachment attachment, Launcher& launcher, const LauncherSeams& seams)
      : order_(std::move(order)), attachment_(attachment), launcher_(launcher), seams_(seams) {}

  Expected<StartedSweep> run(FileDescriptor lock);

 private:
  [[nodiscard]] const LaunchRequest& request() const { return order_.run.request; }
  [[nodiscard]] const RunFolder& folder() const { return request().folder; }

  Expected<void> write(const RunStore& store);
  Expected<void> sync(const RunStore& store) const;
  Expected<void> write_sweep();
  Expected<void> write_point(std::size_t index);
  Expected<void> submit_all(OpenSubmission& open, const RunStore& store, StartedSweep& started);
  Expected<Submission> submit_part(SweepPart part, OpenSubmission& open);
  Expected<void> save_script(const LaunchRequest& part);

  SweepOrder order_;
  Attachment attachment_;
  Launcher& launcher_;
  const LauncherSeams& seams_;
  RunPointer pointer_;
  EarlierSettings earlier_;  // of the points that are run again
};

Expected<StartedSweep> SweepStart::run(FileDescriptor lock) {
  const auto store = RunStore::open(seams_.submitter);
  if (!store) return tl::unexpected(store.error());
  if (auto created = store->create(); !created) return tl::unexpected(created.error());
  pointer_ = make_pointer(request(), launcher_, *store, seams_.system.clock);
  if (order_.kind == FolderKind::existing) {
    order_.run.request.part->tasks = order_.points;
    if (auto gone = launcher_.await_no_earlier_ranks(request()); !gone) return tl::unexpected(gone.error());
  }
  if (auto written = write(*store); !written) return earlier_.give_up(written.error());
  auto open = open_submission(folder(), std::move(lock), Durability::synced);
  if (!open) return earlier_.give_up(open.error());
  if (auto kept = keep_source(request(), seams_); !kept) {
    if (order_.kind == FolderKind::fresh) discard_run(folder(), *store);
    return earlier_.give_up(kept.error());
  }
  StartedSweep started;
  started.run.pointer = pointer_;
  auto submitted = submit_all(*open, *store, started);
  if (submitted) return started;
  if (started.job_ids.empty()) return earlier_.give_up(submitted.error());
  started.interruption = submitted.error();
  return started;
}

/// Leaves nothing of a fresh sweep that could not be written.
Expected<void> SweepStart::write(const RunStore& store) {
  const bool fresh = order_.kind == FolderKind::fresh;
  if (fresh) {
    if (auto created = folder().create(Durability::visible); !created) return created;
  }
  auto written = fresh ? write_sweep() : folder().secure();
  for (std::size_t index = 0; written && index < order_.points.size(); ++index) written = write_point(index);
  if (written) written = store.save(pointer_, Durability::visible);
  if (written) written = sync(store);
  if (!written && fresh) discard_run(folder(), store);
  return written;
}

/// That the sweep and its points exist, and what they are, outlives a crash of this machine.
Expected<void> SweepStart::sync(const RunStore& store) const {
  std::vector<std::filesystem::path> paths;
  for (const int number : order_.points) {
    const auto files = run_files(folder().point_folder(number));
    paths.insert(paths.end(), files.begin(), files.end());
  }
  paths.insert(paths.end(), {folder().points(), folder().spec(), folder().sweep_record(), folder().root(),
                             folder().root().parent_path(), store.path_of(pointer_.run_id), store.folder()});
  return sync_together(paths);
}

Expected<void> SweepStart::write_sweep() {
  if (auto saved = save_file(folder().spec(), render_spec(request().spec), Durability::visible); !saved)
    return saved;
  return save_sweep_record(folder(), record_of(request().spec));
}

Expected<void> SweepStart::write_point(std::size_t index) {
  const RunSpec& spec = request().spec.points[index];
  const RunFolder point = folder().point_folder(order_.points[index]);
  if (order_.kind == FolderKind::fresh) {
    if (auto created = point.create(Durability::visible); !created) return created;
  } else {
    earlier_.remember(point);
  }
  const PlanPaths paths = paths_of_point(spec, order_.run);
  PreparedRun run{.request = {.spec = spec,
                              .plan = make_launch_plan(spec, point, paths),
                              .folder = point,
                              .environment = {},
                              .token = {}},
                  .paths = paths,
                  .script = std::nullopt,
                  .dropped = {}};
  run.request.plan.waits = request().plan.waits;
  run.request.plan.kill_wait = request().plan.kill_wait;
  run.request.plan.work_dir = request().plan.work_dir;
  run.request.plan.submit_dir = request().plan.submit_dir;
  return save_run_files(run, seams_.submitter);
}

Expected<void> SweepStart::submit_all(OpenSubmission& open, const RunStore& store, StartedSweep& started) {
  auto* const queue = launcher_.queue();
  const auto limit = queue != nullptr ? queue->task_limit() : std::numeric_limits<int>::max();
  if (!limit) return tl::unexpected(limit.error());
  std::string after = order_.after;
  for (SweepPart& part : split_points(order_.points, *limit)) {
    part.at_once = request().part->at_once;
    if (part.at_once) part.after = after;
    auto submission = submit_part(std::move(part), open);
    if (!submission) return tl::unexpected(submission.error());
    after = submission->job_id;
    started.job_ids.push_back(after);
    if (started.job_ids.size() > 1) continue;
    started.run.submission = std::move(*submission);
    if (after.empty()) continue;
    started.run.pointer.job_id = after;
    if (auto saved = store.save(started.run.pointer); !saved) return saved;
  }
  return {};
}

Expected<Submission> SweepStart::submit_part(SweepPart part, OpenSubmission& open) {
  LaunchRequest submitted{.spec = request().spec.points.front(),
                          .plan = request().plan,
                          .folder = folder(),
                          .environment = request().environment,
                          .token = make_token(random_number()),
                          .part = std::move(part)};
  submitted.environment.set("DDPSUBMIT_FIRST_POINT", std::to_string(submitted.part->first_point));
  if (auto saved = save_script(submitted); !saved) return tl::unexpected(saved.error());
  const auto intent = make_intent(submitted, order_.run.dropped, launcher_, seams_.system.host);
  if (auto recorded = open.ledger.append(intent); !recorded) return tl::unexpected(recorded.error());
  return submit_once(submitted, attachment_, launcher_, seams_.system.host, open);
}

/// The newest submission's; the scheduler keeps a copy of each.
Expected<void> SweepStart::save_script(const LaunchRequest& part) {
  auto* const queue = launcher_.queue();
  if (queue == nullptr) return {};
  const auto script = queue->render_script(part);
  if (!script) return tl::unexpected(script.error());
  return save_file(folder().script(), *script, Durability::synced);
}

}  // namespace

Expected<StartedSweep> start_sweep(SweepOrder order, Attachment attachment, Launcher& launcher,
                                   const LauncherSeams& seams, FileDescriptor lock) {
  return SweepStart(std::move(order), attachment, launcher, seams).run(std::move(lock));
}

}  // namespace ddp::cli
