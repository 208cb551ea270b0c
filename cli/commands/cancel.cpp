#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "cli/commands/find_run.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/resolve_status.hpp"
#include "cli/store/run_records.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};
constexpr std::chrono::seconds kBeyondGrace{20};  // to kill, sweep and write the records

Expected<void> record_cancel(const KnownRun& run, Context& context) {
  const auto time =
      std::chrono::duration_cast<milliseconds>(context.system.clock.now().time_since_epoch()).count();
  auto ledger =
      LedgerWriter::open(RunFolder(run.pointer.run_dir), fmt::format("cancel-{}-{}", getpid(), time));
  if (!ledger) return tl::unexpected(ledger.error());
  nlohmann::json fields = {
      {"host", context.system.host.name()}, {"pid", getpid()}, {"user", context.system.host.user()}};
  if (!run.status.token.empty()) fields["token"] = run.status.token;
  return ledger->append("cancel_requested", fields);
}

std::chrono::seconds grace_of(const RunPointer& pointer) {
  const auto records = load_run_records(RunFolder(pointer.run_dir));
  return records && records->plan ? records->plan->grace_period : LaunchPlan{}.grace_period;
}

Expected<KnownRun> wait_for_end(const RunPointer& pointer, Context& context) {
  auto& clock = context.system.clock;
  const auto deadline = clock.steady() + grace_of(pointer) + kBeyondGrace;
  for (auto pause = kFirstPause; clock.steady() < deadline; pause = std::min(pause * 2, kLongestPause)) {
    auto run = resolve_run(pointer, context.seams());
    if (is_final(run.status.state)) return run;
    clock.sleep(pause);
  }
  return fail(ExitCode::still_running, "run " + pointer.run_id + " was told to stop, but has not ended yet",
              "a second 'ddpsubmit cancel' kills it at once");
}

/// What is known of the run once its newest submission has a cancel record. That comes first: a job that is
/// requeued meanwhile, or a head that starts only now, sees it and ends. What was submitted before the record
/// was written is then known here.
Expected<KnownRun> record_and_resolve(const RunPointer& pointer, Context& context) {
  auto run = resolve_run(pointer, context.seams());
  std::optional<std::string> recorded;  // the token
  while (!is_final(run.status.state) && recorded != run.status.token) {
    if (auto written = record_cancel(run, context); !written) return tl::unexpected(written.error());
    recorded = run.status.token;
    run = resolve_run(pointer, context.seams());
  }
  return run;
}

Expected<KnownRun> cancel_run(const RunPointer& pointer, Context& context) {
  auto run = record_and_resolve(pointer, context);
  if (!run || is_final(run->status.state)) return run;
  auto launcher = make_launcher(pointer.launcher, context.seams());
  if (!launcher) return tl::unexpected(launcher.error());
  if (auto cancelled = (*launcher)->cancel(run->status); !cancelled) return tl::unexpected(cancelled.error());
  return wait_for_end(pointer, context);
}

Outcome cancel(const Arguments& arguments, Context& context) {
  auto found = find_runs(arguments.all("RUN"), context);
  if (!found) return refuse(found.error());
  std::vector<KnownRun> ended;
  for (const auto& pointer : found->pointers) {
    if (auto run = cancel_run(pointer, context)) {
      ended.push_back(std::move(*run));
    } else {
      found->errors.push_back(run.error());
    }
  }
  return report_runs("ddpsubmit.cancel.v1", ended, std::move(found->errors), context);
}

}  // namespace

Command cancel_command() {
  return {.name = "cancel",
          .summary = "Stop runs and wait until they have ended; harmless when they have",
          .operands = {{"RUN", kRunDoc, Arity::at_least_one}},
          .options = {},
          .examples = {{"cancel last", "trainers checkpoint first, within fault_tolerance.grace_period"}},
          .run = cancel};
}

}  // namespace ddp::cli
