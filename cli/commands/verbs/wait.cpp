#include <algorithm>

#include "cli/commands/watch/find_run.hpp"
#include "cli/commands/watch/follow.hpp"
#include "cli/commands/watch/report_end.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

constexpr Option kTimeout{"--timeout", "TIME",
                          "give up after this time (90s, 10m, 1h30m): exit 8, or 7 if the state is unknown"};

Expected<std::optional<std::chrono::milliseconds>> timeout_of(const Arguments& arguments) {
  const auto text = arguments.one(kTimeout.name);
  if (!text) return std::nullopt;
  const auto parsed = parse_duration(*text, DurationForm::units);
  if (!parsed)
    return fail(ExitCode::usage, "--timeout: '" + *text + "' is not a valid duration", parsed.error());
  return std::chrono::milliseconds(*parsed);
}

/// What is left of the time for all runs; nullopt: any.
class Patience {
 public:
  Patience(std::optional<std::chrono::milliseconds> timeout, const Clock& clock) : clock_(clock) {
    if (timeout) deadline_ = clock.steady() + *timeout;
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> left() const {
    if (!deadline_) return std::nullopt;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - clock_.steady());
    return std::max(left, std::chrono::milliseconds(0));
  }

 private:
  const Clock& clock_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

/// One after another: who has ended meanwhile does not keep the next one waiting. A signal ends it.
Outcome wait(const Arguments& arguments, Context& context) {
  const auto timeout = timeout_of(arguments);
  if (!timeout) return refuse(timeout.error());
  auto found = find_runs(arguments.all("RUN"), context);
  if (!found) return refuse(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  const Patience patience(*timeout, context.system.clock);
  const auto answers = found->pointers.size() > 1 ? Answers::several : Answers::one;
  ExitCode worst = ExitCode::ok;
  for (auto run = found->pointers.begin(); run != found->pointers.end(); ++run) {
    const auto end = follow_run(
        {.pointer = *run, .timeout = patience.left(), .next = {run + 1, found->pointers.end()}}, context);
    if (!end) return refuse(end.error());
    auto code = report_end("ddpsubmit.wait.v1", *end, context, answers);
    if (!code) return code;
    worst = std::max(worst, *code);
    if (end->reason == FollowEnd::Reason::interrupted) break;
  }
  return worst;
}

}  // namespace

Command wait_command() {
  return {.name = "wait",
          .summary = "Wait until runs have ended; exit 0 if they succeeded, 1 if not",
          .operands = {{"RUN", kRunDoc, Arity::at_least_one, WordKind::run}},
          .options = {kTimeout},
          .description =
              "With several runs, the exit code is the highest one. With `--json`, a line is printed for "
              "each run as soon as it has ended.",
          .examples = {{"wait last", "without a time limit"},
                       {"wait last --timeout 10m", "exit 8 if it is still running then"},
                       {"wait mnist cifar", "wait for both runs; --json prints one line for each"}},
          .run = wait};
}

}  // namespace ddp::cli
