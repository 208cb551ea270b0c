#include "cli/top/load/details_reader.hpp"

#include <algorithm>
#include <utility>

#include "cli/store/rank_logs.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {
namespace {

constexpr std::uint64_t kShownLogLines = 200;

std::vector<RankLine> load_last_lines(const RunFolder& folder, int attempt, int rank) {
  RankLogs logs(folder, attempt, rank, {LogStream::out, LogStream::err});
  logs.skip_to_last(kShownLogLines);
  std::vector<LogLine> lines;
  for (std::size_t before = 1; before != lines.size();) {
    before = lines.size();
    logs.read_rest(lines);
  }
  std::vector<RankLine> last;
  const auto first = lines.size() - std::min<std::size_t>(lines.size(), kShownLogLines);
  for (auto place = first; place < lines.size(); ++place)
    last.push_back({std::move(lines[place].text), lines[place].stream == LogStream::err});
  return last;
}

}  // namespace

DetailsReader::DetailsReader(const KnownRun& run)
    : folder_(run.pointer.run_dir), ledger_(folder_), curve_(folder_) {
  details_.run_id = run.pointer.run_id;
}

const RunDetails& DetailsReader::look(const KnownRun& run, int rank,
                                      std::chrono::system_clock::time_point now) {
  look_at_ledger(run, now);
  details_.run = run;
  details_.run.status.attempts = attempts_;
  details_.run.report = report_;
  details_.run.plan = plan_;
  fill_in_live_ranks(details_.run);
  if (const auto metrics = stamp_of(folder_.metrics()); std::exchange(metrics_, metrics) != metrics)
    details_.curve = curve_.look();
  if (!attempts_.empty()) look_at_log(attempts_.back().number, rank);
  return details_;
}

void DetailsReader::look_at_ledger(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto& status = run.status;
  const bool same = status.state == state_ && status.attempts.size() == known_attempts_;
  if (!ledger_.has_changed() && same) return;
  state_ = status.state;
  known_attempts_ = status.attempts.size();
  attempts_ = load_recorded_status(run.pointer, RankEvents::load).attempts;
  if (!plan_)
    if (auto plan = load_run_plan(folder_)) plan_ = std::move(*plan);
  auto reported = run;
  reported.status.attempts = attempts_;
  add_report(reported, now);
  report_ = std::move(reported.report);
}

void DetailsReader::look_at_log(int attempt, int rank) {
  const LogPlace place{attempt, rank, stamp_of(folder_.out(attempt, rank)),
                       stamp_of(folder_.err(attempt, rank))};
  if (place == log_) return;
  log_ = place;
  details_.log_rank = rank;
  details_.log = load_last_lines(folder_, attempt, rank);
}

}  // namespace ddp::cli
