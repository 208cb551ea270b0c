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

/// Lines are for the thread that follows the run.
CheckpointWatch::CheckpointWatch(HostConnector& connector, RemotePlace head, RunFolder folder, Clock& clock)
    : connector_(connector),
      head_(std::move(head)),
      folder_(std::move(folder)),
      clock_(clock),
      progress_(clock, [](const std::string&) {}) {}

Tending CheckpointWatch::look(Run run) {
  Tending tending;
  if (copy_.valid() && copy_.wait_for(seconds(0)) == std::future_status::ready)
    tending.lines = tell(copy_.get());
  const auto now = clock_.steady();
  const bool is_last = run == Run::has_ended && !is_complete_;
  if (!copy_.valid() && (is_last || (run == Run::goes_on && now >= next_))) {
    const bool is_training = load_program_kind(folder_) == ProgramKind::trainer;
    next_ = now + (is_training ? kCheckpointPause : kOutputPause);
    is_complete_ = is_last;
    if (has_news()) begin();
  }
  tending.goes_on = copy_.valid();
  return tending;
}

void CheckpointWatch::begin() {
  const auto newest = find_latest_checkpoint(folder_);
  asked_ = newest ? newest->folder : std::filesystem::path();
  try {
    copy_ = std::async(std::launch::async, [this] { return fetch(); });
  } catch (const std::system_error&) {  // the user may have no more threads now
  }
}

/// The records tell of checkpoints; of what a command has written only its host knows.
bool CheckpointWatch::has_news() const {
  if (load_program_kind(folder_) != ProgramKind::trainer) return true;
  const auto newest = find_latest_checkpoint(folder_);
  return newest && newest->folder != given_up_ && !has_all_files(newest->folder);
}

Expected<Fetched> CheckpointWatch::fetch() {
  const auto host = connector_.connect(head_.target, head_.agent);
  if (!host) return tl::unexpected(host.error());
  auto fetched = fetch_run({{head_.target.host, host->get()}}, folder_, progress_);
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
  if (!asked_.empty() && !has_all_files(asked_)) given_up_ = asked_;
  if (fetched->bytes == 0) return {};
  const auto what = fetched->checkpoint ? "checkpoint " + fetched->checkpoint->filename().string() : "output";
  return {fmt::format("fetched {} from {}: {}", what, head_.target.host, render_file_size(fetched->bytes))};
}

}  // namespace ddp::cli
