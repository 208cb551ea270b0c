#include "jobenv/agent/controller/stalled_ranks.hpp"

#include <algorithm>

#include "jobenv/agent/controller/place_text.hpp"
#include "jobenv/agent/controller/stall_text.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

/// " (the longest earlier step took 0.2 s)"; empty where none is known.
std::string render_longest(const RankStalled& report) {
  constexpr milliseconds kShort{100};
  if (report.longest <= milliseconds(0) || report.phase == Phase::start || report.phase == Phase::done)
    return {};
  std::string part = "part of this phase";
  if (report.phase == Phase::step) part = "step";
  if (report.phase == Phase::evaluate) part = "batch";
  return " (the longest earlier " + part + " took " +
         (report.longest < kShort ? "less than 0.1 s" : render_seconds(report.longest)) + ")";
}

/// "made no progress for 61 s in step 121 (the longest earlier step took 0.2 s)"
std::string render_stall(const RankStalled& report) {
  return "made no progress for " + render_seconds(report.silent) + " " +
         render_program_place(report.phase, report.last_step) + render_longest(report);
}

ExitRecord record_of(const StalledRank& rank) {
  ExitRecord record;
  record.rank = rank.report.rank;
  record.host = rank.host;
  record.last_step = rank.report.last_step;
  record.phase = rank.report.phase;
  return record;
}

/// The first of `like`, which have it in common that `why`.
Failure blame(const std::vector<StalledRank>& like, const std::string& why) {
  const StalledRank& rank = like.front();
  std::string what = render_stall(rank.report) + ": " + render_process(rank.report.process) + why;
  if (const auto more = like.size() - 1; more > 0)
    what += "; the same is true for " + std::to_string(more) + " more rank" + (more == 1 ? "" : "s");
  return {.what = what,
          .phrase = Phrase::predicate_with_step,
          .host = rank.host,
          .rank = record_of(rank),
          .since = rank.report.since};
}

Failure blame_nobody(const std::vector<StalledRank>& all) {
  std::vector<int> numbers;
  for (const StalledRank& rank : all) numbers.push_back(rank.report.rank);
  std::ranges::sort(numbers);
  std::string what =
      "no rank advances: ranks " + render_index_list(numbers) + " " + render_stall(all.front().report);
  if (all.front().report.waits_for_peers) what += ", and wait for each other";
  const auto first = std::ranges::min(all, {}, [](const StalledRank& rank) { return rank.report.since; });
  return {.what = what, .host = {}, .rank = {}, .since = first.report.since};
}

bool is_before(const StalledRank& a, const StalledRank& b) {
  return std::pair(a.report.last_step, a.report.rank) < std::pair(b.report.last_step, b.report.rank);
}

}  // namespace

/// In the order of their steps.
template <class Predicate>
std::vector<StalledRank> StalledRanks::those(Predicate fits) const {
  std::vector<StalledRank> found;
  for (const auto& [number, rank] : ranks_) {
    if (fits(rank.report)) found.push_back(rank);
  }
  std::ranges::sort(found, is_before);
  return found;
}

bool StalledRanks::stand_out(const std::vector<StalledRank>& some) const {
  return !some.empty() && some.size() < ranks_.size();
}

std::optional<Failure> StalledRanks::find_cause(std::size_t living) const {
  if (const auto stopped = those([](const auto& report) { return is_stopped(report.process); });
      !stopped.empty())
    return blame(stopped, "");
  if (const auto in_kernel =
          those([](const auto& report) { return report.process == ProcessState::in_kernel; });
      !in_kernel.empty())
    return blame(in_kernel, "");
  if (const auto busy = those([](const auto& report) { return !report.waits_for_peers; }); stand_out(busy))
    return blame(busy, " while the other ranks wait for it");
  if (ranks_.empty() || ranks_.size() < living) return std::nullopt;
  return find_cause_among_all();
}

/// A rank may hang in the midst of its waiting, by which it stands out no more.
Failure StalledRanks::find_cause_among_all() const {
  const auto all = those([](const auto&) { return true; });
  if (all.size() == 1) return blame(all, "");
  if (const auto last =
          those([&](const auto& report) { return report.last_step == all.front().report.last_step; });
      stand_out(last))
    return blame(last, " while the other ranks are further ahead");
  if (const auto running = those([](const auto& report) { return report.process == ProcessState::running; });
      stand_out(running))
    return blame(running, " while the other ranks sleep");
  return blame_nobody(all);
}

}  // namespace ddp::agent
