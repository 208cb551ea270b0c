#include "cli/top/load/run_board.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "cli/store/state/run_records.hpp"
#include "cli/store/state/sweep_state.hpp"

namespace ddp::cli {
namespace {

/// Of many runs that have ended each is looked at less often: their folders may be on a busy filesystem.
std::chrono::milliseconds between_looks_at_ended(std::size_t runs) {
  constexpr std::chrono::milliseconds kForEach{5};
  constexpr std::chrono::seconds kMost{10};
  return std::min<std::chrono::milliseconds>(kMost, kForEach * static_cast<std::int64_t>(runs));
}

bool is_over(const RunStatus& status) {
  return is_final(status.state) || status.ended;
}

/// Whether the records have told nothing new since the launcher was asked.
bool is_same_knowledge(const RunStatus& a, const RunStatus& b) {
  return a.token == b.token && a.state == b.state && a.newest_attempt() == b.newest_attempt() &&
         a.message == b.message && std::ranges::equal(a.points, b.points, is_same_knowledge);
}

bool has_no_folder(const RunPointer& pointer) {
  return !check_exists(RunFolder(pointer.run_dir));
}

/// What the records tell stands where nobody has answered.
RunStatus combine(const RunStatus& recorded, const StateAnswer& answer) {
  if (is_over(recorded) || answer.status.unanswered || !is_same_knowledge(recorded, answer.recorded))
    return recorded;
  auto status = answer.status;
  if (status.points.size() != recorded.points.size()) return recorded;
  for (std::size_t point = 0; point < status.points.size(); ++point)
    if (status.points[point].unanswered) status.points[point] = recorded.points[point];
  if (!status.points.empty()) combine_points(status);
  return status;
}

}  // namespace

RunBoard::RunBoard(const LauncherSeams& seams, RunStore store, std::vector<RunPointer> chosen)
    : records_(seams), store_(std::move(store)), chosen_(std::move(chosen)) {}

RunBoard::Look RunBoard::look(Time now, Time until, TopData& data) {
  if (next_ == 0) list_runs(data);
  for (; next_ < entries_.size(); ++next_) {
    if (std::chrono::steady_clock::now() >= until) return Look::out_of_time;
    auto& shown = data.runs[next_];
    const bool was_read = entries_[next_].read;
    look_at(entries_[next_], now, shown);
    if (!was_read) --data.unread;
  }
  next_ = 0;
  return Look::complete;
}

/// The folder of pointers changes when a run is started, or started again.
void RunBoard::list_runs(TopData& data) {
  const auto of_store = stamp_of(store_.folder());
  const bool changed = std::exchange(of_store_, of_store) != of_store;
  if (changed)
    for (auto& entry : entries_) entry.next_look = {};
  if (listed_ && (!changed || !chosen_.empty())) return;
  auto pointers = chosen_.empty() ? store_.load_all().value_or(std::vector<RunPointer>{}) : chosen_;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t place = 0; place < entries_.size(); ++place)
    known.emplace(entries_[place].pointer.run_id, place);
  std::vector<Entry> entries;
  std::vector<TopRun> runs;
  for (auto& pointer : pointers) {
    const auto found = known.find(pointer.run_id);
    const bool keep = found != known.end() && entries_[found->second].pointer == pointer;
    if (keep) {
      entries.push_back(std::move(entries_[found->second]));
      runs.push_back(std::move(data.runs[found->second]));
    } else {
      runs.push_back({.run = {.pointer = pointer, .status = {}}, .read = false});
      entries.push_back({.pointer = std::move(pointer)});
    }
  }
  entries_ = std::move(entries);
  data.runs = std::move(runs);
  data.unread = static_cast<std::size_t>(std::ranges::count(entries_, false, &Entry::read));
  listed_ = true;
}

bool RunBoard::is_started_again(const Entry& entry) {
  return std::ranges::any_of(entry.ledgers, &LedgerStamp::has_new_writer);
}

void RunBoard::look_at(Entry& entry, Time now, TopRun& shown) {
  if (entry.read && is_over(entry.recorded)) {
    if (now < entry.next_look) return;
    entry.next_look = now + between_looks_at_ended(entries_.size());
    shown.gone = has_no_folder(entry.pointer);
    if (!is_started_again(entry)) return;
  }
  bool changed = !entry.read;
  for (auto& ledger : entry.ledgers) changed = ledger.has_changed() || changed;
  if (changed) load(entry);
  auto files = files_of(entry);
  const bool told = std::exchange(entry.files, files) != files;
  if (!changed && !told && !std::exchange(entry.answer_is_new, false)) return;
  entry.answer_is_new = false;
  auto status = entry.answer ? combine(entry.recorded, *entry.answer) : entry.recorded;
  shown.run = add_details(entry.pointer, std::move(status), Details::progress);
  shown.read = true;
  shown.gone = has_no_folder(entry.pointer);
}

void RunBoard::load(Entry& entry) {
  const RunFolder folder(entry.pointer.run_dir);
  const bool first = !entry.read;
  // Stamps first: what is written meanwhile is read once more.
  if (first) {
    entry.ledgers.emplace_back(folder);
    (void)entry.ledgers.back().has_changed();
  }
  entry.recorded = records_.load_recorded(entry.pointer);
  entry.read = true;
  if (entry.ledgers.size() == entry.recorded.points.size() + 1) return;
  for (std::size_t point = entry.ledgers.size() - 1; point < entry.recorded.points.size(); ++point)
    entry.ledgers.emplace_back(folder.point_folder(static_cast<int>(point)));
}

std::vector<RunBoard::Files> RunBoard::files_of(const Entry& entry) {
  std::vector<Files> files;
  const auto add = [&files](const RunFolder& folder, const RunStatus& status) {
    const bool runs = status.state == RunState::running;
    files.push_back(runs ? Files{stamp_of(folder.live()), stamp_of(folder.metrics())} : Files{});
  };
  const RunFolder folder(entry.pointer.run_dir);
  if (entry.recorded.points.empty()) add(folder, entry.recorded);
  for (std::size_t point = 0; point < entry.recorded.points.size(); ++point)
    add(folder.point_folder(static_cast<int>(point)), entry.recorded.points[point]);
  return files;
}

void RunBoard::take(StateAnswer answer) {
  const auto entry =
      std::ranges::find_if(entries_, [&](const Entry& one) { return one.pointer.run_id == answer.run_id; });
  if (entry == entries_.end()) return;
  entry->answer = std::move(answer);
  entry->answer_is_new = true;
}

std::vector<OpenRun> RunBoard::open_runs() const {
  std::vector<OpenRun> open;
  for (const auto& entry : entries_)
    if (entry.read && !is_over(entry.recorded)) open.push_back({entry.pointer, entry.recorded});
  return open;
}

}  // namespace ddp::cli
