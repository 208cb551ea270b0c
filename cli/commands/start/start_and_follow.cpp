#include "cli/commands/start/start_and_follow.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/rank_input.hpp"
#include "cli/commands/watch/follow.hpp"
#include "cli/commands/watch/report_end.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/preflight/check_run.hpp"
#include "cli/launch/start/start_sweep.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/name_summary.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/spec/idle_keys.hpp"
#include "cli/spec/spec_warnings.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/module_hint.hpp"

namespace ddp::cli {
namespace {

enum class Stay { yes, no };

Expected<Stay> choose_stay(const Arguments& arguments, const Launcher& launcher) {
  const bool follow = arguments.has(kFollowOption.name);
  const bool detach = arguments.has(kDetachOption.name);
  if (follow && detach) return fail(ExitCode::usage, "--follow and --detach cannot be used together");
  if (follow) return Stay::yes;
  return !detach && launcher.row().default_attachment == Attachment::attached ? Stay::yes : Stay::no;
}

/// Not of variables of which the configuration has taken the value.
void say_dropped(std::vector<std::string> names, const RunSpec& spec, Reporter& reporter) {
  std::erase_if(names, [&spec](const std::string& name) {
    return std::ranges::any_of(spec.origins.by_path, [&name](const auto& origin) {
      return origin.second.source && origin.second.source->name == name;
    });
  });
  if (names.empty()) return;
  const bool may_miss_module = std::ranges::find(names, "BASH_ENV") != names.end();
  reporter.note("environment variables not passed to the job: " + summarize_names(names) +
                (may_miss_module ? std::string(kModuleHint) : ""));
}

/// Of a period that the user has set.
void say_short_grace(const LaunchRequest& request, Reporter& reporter) {
  const auto usable = grace_of(request.plan);
  if (usable >= request.plan.grace_period || !request.spec.origins.mark("fault_tolerance.grace_period"))
    return;
  reporter.note(
      fmt::format("fault_tolerance.grace_period is {} s, but {} kills a job {} s after it has told it to "
                  "stop (KillWait): ranks have {} s",
                  request.plan.grace_period.count(), request.plan.traits.scheduler,
                  request.plan.kill_wait->count(), std::chrono::floor<std::chrono::seconds>(usable).count()));
}

void say_job(const RunPointer& pointer, Reporter& reporter) {
  const auto* launcher = find_launcher(pointer.launcher);
  if (launcher != nullptr && !pointer.job_id.empty())
    reporter.note("queued as " + launcher->traits.scheduler + " job " + pointer.job_id);
}

/// The ranks with these local ranks; without any, all.
std::vector<int> ranks_of(const LaunchPlan& plan, const std::vector<int>& local_ranks) {
  std::vector<int> ranks(static_cast<std::size_t>(plan.nodes * plan.tasks_per_node));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (local_ranks.empty()) return ranks;
  std::erase_if(ranks, [&](int rank) {
    return std::ranges::find(local_ranks, rank % plan.tasks_per_node) == local_ranks.end();
  });
  return ranks;
}

/// Ranks' lines on their own streams.
std::function<void(const LogLine&)> relay_to(Reporter& reporter, LogMarks marks) {
  return
      [&reporter, marks](const LogLine& line) { reporter.relay(line.stream, render_log_line(line, marks)); };
}

/// What head could not write, as on a disk that is full or read-only, it says to the process that has started
/// it. Empty: nothing.
std::string hear_last_words(const FileDescriptor& attachment) {
  std::array<char, 1024> words{};
  const auto size =
      attachment.is_open() ? recv(attachment.get(), words.data(), words.size(), MSG_DONTWAIT) : 0;
  if (size <= 0) return {};
  return "head could not record how the run ended: " +
         std::string(words.data(), static_cast<std::size_t>(size));
}

/// What of the output of a run is printed here.
struct ShownOutput {
  int first_attempt = 0;
  std::vector<int> local_ranks;  ///< empty: of all
};

Outcome stay_with(const PreparedRun& run, const StartedRun& started, Launcher& launcher,
                  Attachment attachment, const ShownOutput& shown, std::string_view schema,
                  Context& context) {
  const int first_attempt = shown.first_attempt;
  auto ranks = ranks_of(run.request.plan, shown.local_ranks);
  const LogMarks marks{.rank = rank_mark_for(ranks_of(run.request.plan, {}).size()),
                       .err = err_mark_of_own_streams(),
                       .colour = colour_for(context.environment, STDERR_FILENO)};
  LogReader logs(run.request.folder, {.attempt = first_attempt,
                                      .attempts = LogReader::Attempts::onward,
                                      .ranks = std::move(ranks),
                                      .streams = {LogStream::out, LogStream::err}});
  const auto on_line = relay_to(context.reporter, marks);
  auto end = follow_run({.pointer = started.pointer,
                         .attachment = attachment,
                         .logs = std::move(logs),
                         .on_line = on_line,
                         .marks = marks,
                         .training = TrainingWatch(run.request.folder, first_attempt),
                         .submitter = &launcher},
                        context);
  if (!end) return refuse(end.error());
  if (auto words = hear_last_words(started.submission.attachment); !words.empty())
    end->run.status.message = std::move(words);
  return report_end(schema, *end, context);
}

Outcome stay_with_sweep(const StartedSweep& started, Attachment attachment, std::vector<int> points,
                        std::string_view schema, Context& context) {
  const auto end = follow_run(
      {.pointer = started.run.pointer, .attachment = attachment, .new_points = std::move(points)}, context);
  if (!end) return refuse(end.error());
  if (const auto words = hear_last_words(started.run.submission.attachment); !words.empty())
    context.reporter.note("error: " + words);
  return report_end(schema, *end, context);
}

Outcome leave(const StartedRun& started, std::string_view schema, Context& context) {
  const auto& id = started.pointer.run_id;
  context.reporter.answer({.schema = schema,
                           .value = to_json(load_recorded_run(started.pointer), context.system.clock.now()),
                           .text = id + '\n'});
  say_job(started.pointer, context.reporter);
  const bool is_sweep = std::filesystem::exists(RunFolder(started.pointer.run_dir).sweep_record());
  context.reporter.note("next: ddpsubmit " + (is_sweep ? "status " + id : "logs " + id + " --follow"));
  return ExitCode::ok;
}

struct SweepSubmitter {
  Launcher& launcher;
  std::string_view schema;
  FileDescriptor lock;
};

/// "4 points", or "1 of 4 points" in a rerun.
std::string name_started(std::size_t started, const RunPointer& sweep) {
  const auto record = load_sweep_record(RunFolder(sweep.run_dir));
  const auto all = record ? record->points.size() : started;
  return started == all ? render_count(all, "point")
                        : fmt::format("{} of {}", started, render_count(all, "point"));
}

Outcome start_points(SweepOrder order, Attachment attachment, Stay stay, SweepSubmitter submitter,
                     Context& context) {
  if (order.points.empty()) {
    order.points.resize(order.run.request.spec.points.size());
    std::iota(order.points.begin(), order.points.end(), 0);
  }
  auto points = order.points;
  const auto started = start_sweep(std::move(order), attachment, submitter.launcher, context.seams(),
                                   std::move(submitter.lock));
  if (!started) return refuse(started.error());
  const auto& pointer = started->run.pointer;
  if (started->interruption) {
    Error error = *started->interruption;
    error.message = fmt::format("only a part of sweep {} was submitted: {}", pointer.run_id, error.message);
    error.hint = fmt::format("to submit the rest: ddpsubmit rerun {}", pointer.run_id);
    return refuse(std::move(error));
  }
  if (stay == Stay::no) return leave(started->run, submitter.schema, context);
  context.reporter.note(fmt::format("sweep {} of {} in {}", pointer.run_id,
                                    name_started(points.size(), pointer), pointer.run_dir));
  return stay_with_sweep(*started, attachment, std::move(points), submitter.schema, context);
}

/// None without --stdin.
Expected<std::unique_ptr<RankInput>> open_input(const Arguments& arguments, Attachment attachment,
                                                const Launcher& launcher) {
  if (!arguments.has(kStdinOption.name)) return nullptr;
  if (attachment == Attachment::attached && launcher.row().ranks_run == RanksRun::here)
    return RankInput::open();
  return fail(ExitCode::usage, "--stdin needs a run on this machine that is followed",
              "use launcher: local without --detach, or let the program read a file");
}

}  // namespace

Outcome start_and_follow(StartOrder order, const Arguments& arguments, Context& context) {
  auto seams = context.seams();
  if (arguments.has(kAcceptHostKeysOption.name)) seams.host_keys = HostKeyPolicy::accept_new;
  auto launcher = make_launcher(order.spec.launcher->name, seams);
  if (!launcher) return refuse(launcher.error());
  const auto stay = choose_stay(arguments, **launcher);
  if (!stay) return refuse(stay.error());
  say_warnings(find_idle_keys(order.spec), context.reporter);
  say_warnings(warn_of_spec(order.spec), context.reporter);
  auto run =
      prepare_run(std::move(order.spec), std::move(order.place), **launcher, make_token(random_number()));
  if (!run) return refuse(run.error());
  if (!arguments.has(kNoPreflightOption.name)) {
    const auto warnings = check_run(*run, **launcher, context.seams());
    if (!warnings) return tl::unexpected(warnings.error());
    say_warnings(*warnings, context.reporter);
  }
  if (auto* const queue = (*launcher)->queue()) {
    run->request.plan.kill_wait = queue->kill_wait();
    say_short_grace(run->request, context.reporter);
  }
  say_dropped(run->dropped, run->request.spec, context.reporter);

  const auto attachment = *stay == Stay::yes ? (*launcher)->row().default_attachment : Attachment::detached;
  if (!run->request.spec.points.empty()) {
    return start_points({.run = std::move(*run),
                         .points = std::move(order.points),
                         .kind = order.folder_kind,
                         .after = std::move(order.after)},
                        attachment, *stay, {**launcher, order.schema, std::move(order.lock)}, context);
  }
  auto input = open_input(arguments, attachment, **launcher);
  if (!input) return refuse(input.error());
  if (*input != nullptr) run->request.input = (*input)->descriptor();
  const int first_attempt = run->request.folder.highest_attempt().value_or(-1) + 1;
  const auto started =
      start_run(*run, order.folder_kind, attachment, **launcher, context.seams(), std::move(order.lock));
  if (!started) return refuse(started.error());
  if (*stay == Stay::no) return leave(*started, order.schema, context);
  context.reporter.note("run " + started->pointer.run_id + " in " + started->pointer.run_dir);
  say_job(started->pointer, context.reporter);
  return stay_with(*run, *started, **launcher, attachment,
                   {first_attempt, std::move(order.shown_local_ranks)}, order.schema, context);
}

}  // namespace ddp::cli
