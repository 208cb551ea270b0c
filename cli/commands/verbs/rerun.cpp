#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/lost_jobs.hpp"
#include "cli/commands/start/start_and_follow.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/submission_lock.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

/// Its ddpsubmit was killed before the working tree was copied: that is done now.
bool awaits_copy(const LaunchPlan& plan, const RunFolder& folder) {
  std::error_code error;
  return plan.submit_dir != plan.work_dir && !std::filesystem::exists(folder.source_tree(), error);
}

Expected<RunPlace> place_of_earlier(const RunPointer& pointer, const Context& context) {
  const RunFolder folder(pointer.run_dir);
  auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  auto place = place_of(folder, context);
  if (awaits_copy(*plan, folder)) {
    place.work_dir = std::move(plan->submit_dir);
    return place;
  }
  place.work_dir = std::move(plan->work_dir);
  place.submit_dir = std::move(plan->submit_dir);
  return place;
}

/// Head's host does not answer, and nobody else can tell. Should head live after all, it yields to the next
/// attempt, and nothing of its own is committed from then on.
bool is_out_of_reach(const RunStatus& run, const RunPointer& pointer) {
  const auto* launcher = find_launcher(pointer.launcher);
  const bool head_is_elsewhere =
      launcher != nullptr && launcher->ranks_run == RanksRun::on_nodes && !launcher->has_scheduler();
  return head_is_elsewhere && run.state == RunState::unknown && run.head;
}

/// How to find the job by hand.
std::string explain_look(const RunStatus& run, const RunPointer& pointer) {
  const auto* launcher = find_launcher(pointer.launcher);
  const bool known = launcher != nullptr && launcher->by_hand.find_job != nullptr;
  return known ? launcher->by_hand.find_job(run, pointer) : "look for its job by hand";
}

/// Why nobody can tell whether the run was submitted: lines of its ledger are lost, and its job is not found.
std::optional<Error> find_doubt(const RunStatus& run, const RunPointer& pointer) {
  const bool lost = run.in_doubt || (run.awaits_answer && run.submission_damaged);
  if (run.state != RunState::unknown || !lost) return std::nullopt;
  const auto look = explain_look(run, pointer);
  if (!run.submission_damaged)
    return Error{ExitCode::outcome_unknown,
                 fmt::format("the state of run {} is unknown: {}", pointer.run_id, run.message),
                 "restore the file from a copy"};
  return Error{ExitCode::outcome_unknown,
               fmt::format("it is unknown whether run {} is submitted: {}; {}", pointer.run_id, run.message,
                           fmt::join(run.damage, "; ")),
               look + "; if there is none, remove the unreadable lines from the ledger, and rerun the run"};
}

/// How the newest submission has ended, or that it cannot be asked.
Expected<RunStatus> check_over(const RunPointer& pointer, const Context& context) {
  auto run = resolve_run(pointer, context.seams());
  if (auto doubt = find_doubt(run.status, pointer)) return tl::unexpected(std::move(*doubt));
  if (is_final(run.status.state) || run.status.ended || is_out_of_reach(run.status, pointer))
    return std::move(run.status);
  return fail(ExitCode::still_running,
              "run " + pointer.run_id + " has not ended: it is " + std::string(name_of(run.status.state)),
              "wait for it, or cancel it first");
}

enum class Ended { run, sweep };

/// From here on nobody else submits it. `token` is of the submission that has ended.
Expected<FileDescriptor> lock_ended(Ended ended, const RunPointer& pointer, const std::string& token) {
  auto lock = lock_submission(RunFolder(pointer.run_dir));
  if (!lock || load_recorded_status(pointer).token == token) return lock;
  return fail(ExitCode::still_running,
              std::string(ended == Ended::run ? "run " : "sweep ") + pointer.run_id +
                  " was submitted again by another ddpsubmit",
              "wait for that one");
}

constexpr Operand kChangesOperand{
    "KEY=VALUE",
    "new value from this attempt on: epochs or max_steps, times, checkpoints, restarts, logs, ssh.hosts",
    Arity::any, WordKind::change};

/// Of the sweep that `folder` is of, or a point of; none: it is of neither.
std::vector<std::string> swept_keys(const RunFolder& folder) {
  const auto record = load_sweep_record(folder.point() ? folder.sweep() : folder);
  return record ? record->keys : std::vector<std::string>();
}

/// What the command line changes in the run, or in a point of a sweep.
SpecChanges changes_of(const Arguments& arguments, const RunFolder& folder, const Context& context) {
  return {.arguments = arguments.all(kChangesOperand.name),
          .swept = swept_keys(folder),
          .current_folder = context.current_folder};
}

/// Why there is nothing to do: the training is over, and the configuration asks for no more of it.
std::optional<Error> find_training_done(const RunPointer& pointer, const RunStatus& ended,
                                        const RunSpec& spec) {
  const bool goes_on = spec.train && spec.train->mode == trainer::Mode::train &&
                       spec.train->checkpoint.resume == trainer::Resume::automatic;
  if (!goes_on || ended.state != RunState::succeeded) return std::nullopt;
  const auto checkpoint = find_latest_checkpoint(RunFolder(pointer.run_dir));
  if (!checkpoint) return std::nullopt;
  const auto& train = *spec.train;
  const auto wanted = train.max_steps ? train.max_steps : train.epochs;
  const auto step = static_cast<std::int64_t>(checkpoint->step);
  const auto done = train.max_steps ? step : load_epochs_done(*checkpoint).value_or(0);
  if (done < *wanted) return std::nullopt;
  const std::string key = train.max_steps ? "train.max_steps" : "train.epochs";
  const auto swept = swept_keys(RunFolder(pointer.run_dir));
  const bool can_change = std::ranges::find(swept, key) == swept.end();
  return Error{ExitCode::usage,
               fmt::format("there is nothing left to do: run {} has finished its training after step {}, and "
                           "{} is {}",
                           pointer.run_id, step, key, *wanted),
               (can_change ? fmt::format("to train longer: ddpsubmit rerun {} {}=N; ", pointer.run_id, key)
                           : std::string()) +
                   "to train from the beginning: ddpsubmit run CONFIG"};
}

/// An interrupted or refused submission left it out.
bool is_left_out(const RunStatus& point) {
  if (point.in_doubt) return false;
  const bool nobody_has_it = point.job_id.empty() && !point.head && point.attempts.empty();
  return !point.submitted || (nobody_has_it && is_final(point.state));
}

bool ended_otherwise(const RunStatus& point) {
  return is_final(point.state) && point.state != RunState::succeeded;
}

std::vector<int> choose_points(const RunStatus& sweep, bool (*is_wanted)(const RunStatus& point)) {
  std::vector<int> points;
  for (int number = 0; number < std::ssize(sweep.points); ++number) {
    if (is_wanted(sweep.points[static_cast<std::size_t>(number)])) points.push_back(number);
  }
  return points;
}

/// What else there is to do about a sweep whose points have all succeeded.
std::string explain_single_rerun(const RunStatus& sweep, const RunPointer& pointer,
                                 const SchemaSource& schemas_of) {
  const auto first = point_pointer(pointer, 0);
  const auto spec = load_resolved_spec(RunFolder(first.run_dir).spec(), schemas_of);
  if (!spec) return {};
  if (const auto done = find_training_done(first, sweep.points.front(), *spec)) return done->hint;
  return "to run one point again: ddpsubmit rerun " + first.run_id;
}

/// Those that did not succeed; while others go on, only those that are in no queue.
Expected<std::vector<int>> choose_points(const RunStatus& sweep, const RunPointer& pointer,
                                         const SchemaSource& schemas_of) {
  const auto& id = pointer.run_id;
  const bool ended = is_final(sweep.state);
  auto points = choose_points(sweep, ended ? ended_otherwise : is_left_out);
  if (!points.empty()) return points;
  const auto doubt = std::ranges::find_if(sweep.points, &RunStatus::in_doubt);
  if (doubt != sweep.points.end()) return tl::unexpected(*find_doubt(*doubt, pointer));
  if (ended) {
    return fail(ExitCode::usage, "all points of sweep " + id + " have succeeded",
                explain_single_rerun(sweep, pointer, schemas_of));
  }
  return fail(ExitCode::still_running, "sweep " + id + " has not ended: " + sweep.message,
              "wait for it, or cancel it first");
}

bool share_script(const RunSpec& a, const RunSpec& b) {
  return a.resources.time == b.resources.time && a.stop_signal() == b.stop_signal() &&
         a.fault_tolerance.signal_lead == b.fault_tolerance.signal_lead &&
         a.fault_tolerance.requeue == b.fault_tolerance.requeue;
}

/// Points that were run again on their own, with other values, do not fit into one job array.
std::optional<Error> find_disagreement(const RunSpec& sweep, const std::vector<int>& numbers) {
  const auto& points = sweep.points;
  if (!sweep.launcher->has_scheduler()) return std::nullopt;
  const auto other = std::ranges::find_if(
      points, [&](const RunSpec& point) { return !share_script(point, points.front()); });
  if (other == points.end()) return std::nullopt;
  const auto number = numbers[static_cast<std::size_t>(other - points.begin())];
  return Error{
      ExitCode::usage,
      fmt::format("points {} and {} differ in their time limit, stop signal or requeue, but all points "
                  "of a job array must have the same",
                  numbers.front(), number),
      "rerun them one by one, or set one value for all: ddpsubmit rerun SWEEP resources.time=TIME"};
}

/// The spec of the sweep, with those of the points that are to run.
tl::expected<RunSpec, Errors> load_points(const RunFolder& sweep, const std::vector<int>& points,
                                          const SchemaSource& schemas_of, const SpecChanges& changes) {
  RunSpec spec;
  for (const int point : points) {
    auto loaded = load_resolved_spec(sweep.point_folder(point).spec(), schemas_of, changes);
    if (!loaded) return loaded;
    if (spec.points.empty()) spec = *loaded;
    spec.points.push_back(std::move(*loaded));
  }
  if (auto error = find_disagreement(spec, points)) return refuse(std::move(*error));
  if (const auto record = load_sweep_record(sweep)) spec.sweep_options.at_once = record->at_once;
  return spec;
}

/// The newest job of a sweep that still has open points: with a limit of points at once the next one waits.
std::string open_job(const RunStatus& sweep) {
  return is_final(sweep.state) ? std::string() : sweep.job_id;
}

bool was_edited(const RunFolder& folder) {
  const auto plan = load_run_plan(folder);
  const auto spec = load_file(folder.spec());
  return plan && spec && plan->spec_checksum != checksum_of_spec(*spec);
}

/// The attempt uses it as it is now.
void say_edited_specs(std::vector<RunFolder> folders, Reporter& reporter) {
  std::erase_if(folders, std::not_fn(was_edited));
  if (folders.empty()) return;
  auto file = folders.front().spec().string();
  if (folders.size() > 1)
    file = fmt::format("spec.yaml of {}, such as {},", render_count(folders.size(), "point"), file);
  reporter.note(
      fmt::format("warning: {} was edited after the run was last submitted: from this attempt on, the run "
                  "uses it as it is",
                  file));
}

Outcome rerun_sweep(const RunPointer& pointer, const Arguments& arguments, Context& context) {
  const RunFolder folder(pointer.run_dir);
  const auto sweep = StatusResolver(context.seams()).resolve(pointer);
  auto place = place_of_earlier(point_pointer(pointer, 0), context);
  if (!place) return refuse(place.error());
  place->folder = folder;
  const auto schemas_of = schema_source(context, place->work_dir);
  const auto points = choose_points(sweep, pointer, schemas_of);
  if (!points) return refuse(points.error());
  auto lock = lock_ended(Ended::sweep, pointer, sweep.token);
  if (!lock) return refuse(lock.error());
  if (auto checked = check_lost_jobs(pointer, *points, context); !checked) return refuse(checked.error());
  auto spec = load_points(folder, *points, schemas_of, changes_of(arguments, folder, context));
  if (!spec) return tl::unexpected(spec.error());
  std::vector<RunFolder> folders;
  for (const int point : *points) folders.push_back(folder.point_folder(point));
  say_edited_specs(folders, context.reporter);
  return start_and_follow({.spec = std::move(*spec),
                           .place = std::move(*place),
                           .folder_kind = FolderKind::existing,
                           .lock = std::move(*lock),
                           .schema = "ddpsubmit.rerun.v1",
                           .points = *points,
                           .after = open_job(sweep)},
                          arguments, context);
}

Outcome rerun(const Arguments& arguments, Context& context) {
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  if (load_sweep_record(RunFolder(pointer->run_dir))) return rerun_sweep(*pointer, arguments, context);
  // Completing a lost submission takes the lock, so the run is looked at before.
  const auto ended = check_over(*pointer, context);
  if (!ended) return refuse(ended.error());
  auto lock = lock_ended(Ended::run, *pointer, ended->token);
  if (!lock) return refuse(lock.error());
  if (auto checked = check_lost_jobs(*pointer, {}, context); !checked) return refuse(checked.error());
  auto place = place_of_earlier(*pointer, context);
  if (!place) return refuse(place.error());
  auto spec = load_resolved_spec(place->folder.spec(), schema_source(context, place->work_dir),
                                 changes_of(arguments, place->folder, context));
  if (!spec) return tl::unexpected(spec.error());
  if (auto done = find_training_done(*pointer, *ended, *spec)) return refuse(std::move(*done));
  say_edited_specs({place->folder}, context.reporter);
  return start_and_follow({.spec = std::move(*spec),
                           .place = std::move(*place),
                           .folder_kind = FolderKind::existing,
                           .lock = std::move(*lock),
                           .schema = "ddpsubmit.rerun.v1"},
                          arguments, context);
}

}  // namespace

Command rerun_command() {
  return {
      .name = "rerun",
      .summary = "Start an ended run again in its run folder, from its newest checkpoint",
      .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}, kChangesOperand},
      .options = {kFollowOption, kDetachOption, kNoPreflightOption, kAcceptHostKeysOption},
      .description =
          "The run keeps its id and its folder; the new start is a further attempt. A training "
          "resumes from its newest checkpoint. KEY=VALUE changes what may differ between two "
          "attempts; any other key is refused with the reason. With environment.snapshot the ranks run the "
          "code of the first submission.",
      .examples = {{"rerun last", "start the newest run again, as its next attempt"},
                   {"rerun last train.epochs=20 resources.time=8h", "train longer, with a longer time limit"},
                   {"rerun last 'ssh.hosts=[node3, node4]'", "go on with other ssh hosts"},
                   {"rerun search", "start the points of sweep 'search' that did not succeed"}},
      .run = rerun};
}

}  // namespace ddp::cli
