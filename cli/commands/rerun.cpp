#include "cli/commands/find_run.hpp"
#include "cli/commands/load_config.hpp"
#include "cli/commands/start_and_follow.hpp"
#include "cli/launch/resolve_status.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "cli/store/run_records.hpp"
#include "cli/store/submission_lock.hpp"

namespace ddp::cli {
namespace {

Expected<RunPlace> place_of_earlier(const RunPointer& pointer, const Context& context) {
  const RunFolder folder(pointer.run_dir);
  auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  auto place = place_of(folder, context);
  place.work_dir = std::move(plan->work_dir);
  return place;
}

/// The token of the submission that has ended.
Expected<std::string> check_ended(const RunPointer& pointer, const Context& context) {
  auto run = resolve_run(pointer, context.seams());
  if (is_final(run.status.state) || run.status.ended) return std::move(run.status.token);
  return fail(ExitCode::still_running,
              "run " + pointer.run_id + " has not ended: it is " + std::string(to_string(run.status.state)),
              "wait for it, or cancel it first");
}

/// From here on nobody else submits the run. Completing a lost submission takes the same lock, so the run is
/// looked at before.
Expected<FileDescriptor> lock_ended(const RunPointer& pointer, const Context& context) {
  const auto ended = check_ended(pointer, context);
  if (!ended) return tl::unexpected(ended.error());
  auto lock = lock_submission(RunFolder(pointer.run_dir));
  if (!lock || load_recorded_run(pointer).status.token == *ended) return lock;
  return fail(ExitCode::still_running, "run " + pointer.run_id + " was submitted again by another ddpsubmit",
              "wait for that one");
}

Outcome rerun(const Arguments& arguments, Context& context) {
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  auto lock = lock_ended(*pointer, context);
  if (!lock) return refuse(lock.error());
  auto place = place_of_earlier(*pointer, context);
  if (!place) return refuse(place.error());
  auto spec = load_resolved_spec(place->folder.spec());
  if (!spec) return tl::unexpected(spec.error());
  return start_and_follow({.spec = std::move(*spec),
                           .place = std::move(*place),
                           .folder_kind = FolderKind::existing,
                           .lock = std::move(*lock),
                           .schema = "ddpsubmit.rerun.v1"},
                          arguments, context);
}

}  // namespace

Command rerun_command() {
  return {.name = "rerun",
          .summary = "Start an ended run again in its folder, from its newest checkpoint",
          .operands = {{"RUN", kRunDoc, Arity::one}},
          .options = {kFollowOption, kDetachOption, kNoPreflightOption},
          .examples = {{"rerun last", "as a further attempt of the same run"}},
          .run = rerun};
}

}  // namespace ddp::cli
