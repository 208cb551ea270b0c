#include "cli/commands/watch/job_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "cli/launchers/launcher_row.hpp"
#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

std::filesystem::path output_of(const RunPointer& pointer, const RunStatus& status) {
  const RunFolder folder(pointer.run_dir);
  return has_scheduler(pointer.launcher) ? folder.job_output(pointer.launcher, status.job_id)
                                         : folder.head_log();
}

}  // namespace

bool is_before_ranks(const RunPointer& pointer, const RunStatus& status) {
  std::error_code error;
  const auto logs = RunFolder(pointer.run_dir).logs(std::max(status.newest_attempt(), 0));
  if (!std::filesystem::exists(logs, error)) return status.state != RunState::queued;
  // Ranks of an earlier start have printed. Who cancels a job that waits wants to see those.
  const bool begun =
      status.state == RunState::running || (is_final(status.state) && status.state != RunState::cancelled);
  return begun && has_scheduler(pointer.launcher) && !status.head;
}

Shown show_job_output(const RunPointer& pointer, const RunStatus& status,
                      std::optional<std::uint64_t> last_lines, Reporter& reporter) {
  if (!is_before_ranks(pointer, status)) return Shown::nothing;
  const auto path = output_of(pointer, status);
  FileStream file(path);
  if (!file) return Shown::nothing;
  reporter.note(fmt::format("no rank has started{}; the output of the job, {}:",
                            is_final(status.state) ? "" : " yet", path.string()));
  const auto show = [&reporter](const std::string& line) {
    reporter.log_item({.schema = "ddpsubmit.log.v1",
                       .value = {{"attempt", nullptr}, {"rank", nullptr}, {"stream", "job"}, {"text", line}},
                       .text = line + '\n'});
  };
  std::deque<std::string> last;
  for (std::string line; take_line(file, line);) {
    if (!last_lines) {
      show(line);
      continue;
    }
    last.push_back(std::move(line));
    if (last.size() > *last_lines) last.pop_front();
  }
  std::ranges::for_each(last, show);
  return Shown::job_output;
}

}  // namespace ddp::cli
