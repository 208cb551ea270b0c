#include "cli/commands/find_run.hpp"
#include "cli/commands/follow.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

constexpr Option kTimeout{
    "--timeout", "TIME", "give up after this time (90s, 10m, 1h30m): exit 8, or 7 if nobody knows the state"};

Expected<std::optional<std::chrono::milliseconds>> timeout_of(const Arguments& arguments) {
  const auto text = arguments.one(kTimeout.name);
  if (!text) return std::nullopt;
  const auto parsed = parse_duration(*text, DurationForm::units);
  if (!parsed) return fail(ExitCode::usage, "--timeout " + *text + ": " + parsed.error());
  return std::chrono::milliseconds(*parsed);
}

Outcome wait(const Arguments& arguments, Context& context) {
  const auto timeout = timeout_of(arguments);
  if (!timeout) return refuse(timeout.error());
  auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  const auto end = follow_run({.pointer = std::move(*pointer), .timeout = *timeout}, context);
  if (!end) return refuse(end.error());
  return report_end("ddpsubmit.wait.v1", *end, context);
}

}  // namespace

Command wait_command() {
  return {.name = "wait",
          .summary = "Wait until a run ends; exit 0 if it succeeded, 1 if not",
          .operands = {{"RUN", kRunDoc, Arity::one}},
          .options = {kTimeout},
          .examples = {{"wait last", "as long as it takes"},
                       {"wait last --timeout 10m", "exit 8 if it still runs then"}},
          .run = wait};
}

}  // namespace ddp::cli
