#include "cli/launchers/ssh/fetch/checkpoint_watch.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "cli/launchers/ssh/fetch/fetched_run.hpp"
#include "cli/output/size_text.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

/// Between two looks at what the records tell of checkpoints, and at the output of a command on its host.
constexpr seconds kCheckpointPause{1};
constexpr seconds kOutputPause{30};

}  // namespace

CheckpointWatch::CheckpointWatch(HostConnector& connector, RemotePlace head, RunFolder folder, Clock& clock)
    : connector_(connector), head_(std::move(head)), folder_(std::move(folder)), clock_(clock) {}

std::vector<std::string> CheckpointWatch::look() {
  if (copy_.valid())
    return copy_.wait_for(seconds(0)) == std::future_status::ready ? tell(copy_.get())
                                                                   : std::vector<std::string>();
  const auto now = clock_.steady();
  if (now < next_) return {};
  const bool is_training = load_program_kind(folder_) == ProgramKind::trainer;
  next_ = now + (is_training ? kCheckpointPause : kOutputPause);
  if (!has_news()) return {};
  try {
    copy_ = std::async(std::launch::async, [this] { return fetch(); });
  } catch (const std::system_error&) {  // the user may have no more threads now
  }
  return {};
}

std::vector<std::string> CheckpointWatch::complete() {
  if (std::exchange(is_complete_, true)) return {};
  auto lines = copy_.valid() ? tell(copy_.get()) : std::vector<std::string>();
  if (!has_news()) return lines;
  for (auto& line : tell(fetch())) lines.push_back(std::move(line));
  return lines;
}

/// The records tell of checkpoints; of what a command has written only its host knows.
bool CheckpointWatch::has_news() const {
  if (load_program_kind(folder_) != ProgramKind::trainer) return true;
  const auto newest = find_latest_checkpoint(folder_);
  return newest && !has_all_files(newest->folder);
}

Expected<Fetched> CheckpointWatch::fetch() {
  const auto host = connector_.connect(head_.target, head_.agent);
  if (!host) return tl::unexpected(host.error());
  CopyProgress progress(clock_, [](const std::string&) {});  // lines are for the other thread
  auto fetched = fetch_run({{head_.target.host, host->get()}}, folder_, progress);
  if (fetched) drop_old_checkpoints(folder_);
  return fetched;
}

/// A host that does not answer is told of once.
std::vector<std::string> CheckpointWatch::tell(const Expected<Fetched>& fetched) {
  if (!fetched) {
    next_ = clock_.steady() + kOutputPause;
    if (std::exchange(told_, fetched.error().message) == fetched.error().message) return {};
    return {"warning: what the run has written could not be fetched: " + fetched.error().message};
  }
  told_.clear();
  if (fetched->bytes == 0) return {};
  const auto what = fetched->checkpoint ? "checkpoint " + fetched->checkpoint->filename().string() : "output";
  return {fmt::format("fetched {} from {}: {}", what, head_.target.host, render_file_size(fetched->bytes))};
}

}  // namespace ddp::cli
