#include <fmt/format.h>

#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"

namespace ddp::cli {
namespace {

Report report_fetch(const RunPointer& run, const Fetched& fetched) {
  nlohmann::json checkpoint;
  if (fetched.checkpoint) checkpoint = fetched.checkpoint->string();
  const auto copied = fetched.bytes == 0 ? "all here already" : render_file_size(fetched.bytes) + " copied";
  auto text = fmt::format("{}: {}, {}\n", run.run_dir, render_count(fetched.files, "file"), copied);
  if (fetched.checkpoint) text += fmt::format("newest checkpoint: {}\n", fetched.checkpoint->string());
  return {.schema = "ddpsubmit.fetch.v1",
          .value = {{"run_id", run.run_id},
                    {"run_dir", run.run_dir},
                    {"checkpoint", std::move(checkpoint)},
                    {"files", fetched.files},
                    {"bytes_copied", fetched.bytes},
                    {"left_out", fetched.left_out}},
          .text = std::move(text)};
}

/// The records come first: they tell on which host head is.
Outcome fetch(const Arguments& arguments, Context& context) {
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  StatusResolver resolver(context.seams());
  const auto status = resolver.resolve(*pointer);
  auto* launcher = resolver.launcher(pointer->launcher);
  if (launcher == nullptr)
    return refuse({ExitCode::usage, "run " + pointer->run_id + " is of launcher '" + pointer->launcher +
                                        "', which this version does not have"});
  const auto fetched = launcher->fetch(status);
  if (!fetched) return refuse(fetched.error());
  if (!*fetched)
    context.reporter.note("nothing to fetch: run " + pointer->run_id +
                          " has all its files in its run folder");
  const auto here = fetched->value_or(Fetched{});
  for (const auto& what : here.left_out) context.reporter.note("not fetched: " + what);
  auto report = report_fetch(*pointer, here);
  if (!*fetched) report.text.clear();
  context.reporter.partial_answer(report, here.errors);
  return worst_code(here.errors);
}

}  // namespace

Command fetch_command() {
  return {.name = "fetch",
          .summary = "Copy the newest checkpoint, output and logs of a run from hosts that share no folder",
          .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}},
          .options = {},
          .description =
              "For runs with ssh.stage: push. The files arrive in the run folder on this machine. What is "
              "there already is not copied again, and a copy that was broken off goes on where it stopped. A "
              "rerun on other hosts starts from what was fetched.",
          .examples = {{"fetch last", "copy what the newest run has written"}},
          .run = fetch};
}

}  // namespace ddp::cli
