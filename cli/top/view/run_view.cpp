#include "cli/top/view/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/run/end_text.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/report_text.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"
#include "cli/top/model/run_facts.hpp"
#include "cli/top/view/figures.hpp"
#include "cli/top/view/line_builder.hpp"
#include "cli/top/view/rank_rows.hpp"
#include "cli/top/view/run_words.hpp"
#include "jobenv/record/exit_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLabel = 12;
constexpr std::size_t kValue = 10;  // in front of a sparkline
constexpr std::size_t kWidestLine = 100;
constexpr std::size_t kMostAttempts = 3;
constexpr std::size_t kLeastLog = 5;  // with its head

class Facts {
 public:
  explicit Facts(const Frame& frame) : frame_(frame) {}

  LineBuilder begin(std::string_view label) const {
    LineBuilder line(frame_);
    line.gap(1).add_cell(label, kLabel - 1, Align::left, Style::head);
    return line;
  }
  void add(std::string_view label, const std::string& text, Style style = Style::plain,
           std::size_t rows = 1) {
    auto shown = label;
    const auto columns = frame_.columns - std::min(frame_.columns, kLabel + 1);
    for (const auto& part : wrap_words(text, columns, rows, frame_.charset)) {
      lines_.push_back(begin(shown).add(part, style).finish());
      shown = {};
    }
  }
  void add(Line line) { lines_.push_back(std::move(line)); }
  [[nodiscard]] Screen take() { return std::move(lines_); }

 private:
  const Frame& frame_;
  Screen lines_;
};

/// The loss has a line of its own.
std::string render_position(const KnownRun& run) {
  const auto step = reached_step(run);
  if (step == 0 && !run.live) return {};
  const auto epoch =
      run.progress && run.progress->epoch ? fmt::format(", epoch {}", *run.progress->epoch) : "";
  return render_step(step, run) + epoch;
}

void add_progress_fact(const KnownRun& run, const Frame& frame, Facts& facts) {
  const auto share = done_share(run);
  const auto position = render_position(run);
  if (!share && position.empty()) return;
  auto line = facts.begin("progress");
  if (share) {
    const auto bar = make_bar(*share, frame.columns >= 120 ? 30 : 20, frame.charset);
    line.add(bar.done, Style::good).add(bar.rest, Style::dim);
    line.add(fmt::format(" {:.0f} %  ", std::floor(*share * 100)), Style::strong);
  }
  facts.add(line.add(position).finish());
}

void add_curve(std::string_view label, const std::string& value, const std::vector<double>& values,
               const Frame& frame, Facts& facts) {
  if (value.empty() && values.empty()) return;
  auto line = facts.begin(label);
  line.add_cell(or_dash(value), kValue, Align::left, Style::strong);
  const auto columns = std::min(line.room() > 2 ? line.room() - 2 : 0, kWidestLine);
  facts.add(line.add(make_sparkline(values, columns, frame.charset), Style::accent).finish());
}

std::string render_times_of(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto spent = time_spent_by(run.status, now);
  const auto waited = spent.waited ? "waited " + render_elapsed(*spent.waited) : "";
  const auto ran =
      spent.ran ? (is_final(run.status.state) ? "ran " : "running for ") + render_elapsed(*spent.ran) : "";
  return join_parts({ran, waited, render_time_left(run, now)});
}

std::string render_place_of(const KnownRun& run) {
  const auto job = run.status.job_id.empty() ? "" : fmt::format(", job {}", run.status.job_id);
  const auto attempts =
      run.status.attempts.empty() ? "not started" : fmt::format("attempt {}", run.status.newest_attempt());
  return fmt::format("{} on {}{}; {}", attempts, run.pointer.launcher, job, run.pointer.run_dir);
}

Screen render_facts_part(const RunDetails& details, const Frame& frame) {
  const auto& run = details.run;
  Facts facts(frame);
  add_progress_fact(run, frame, facts);
  facts.add("time", render_times_of(run, frame.now),
            ends_too_early(run, frame.now) ? Style::warn : Style::plain, 2);
  add_curve("loss", render_loss(current_loss(run)), details.curve.loss, frame, facts);
  add_curve("samples/s", render_rate(current_throughput(run)), details.curve.samples_per_second, frame,
            facts);
  facts.add("recovery", run.report ? render_recovery(*run.report) : "");
  const auto straggler = run.live ? render_straggler(*run.live) : "";
  facts.add(is_final(run.status.state) ? "end" : "note",
            join_parts({run.status.message, render_expected_start(run.status, frame.now), straggler}),
            style_of_state(run) == Style::bad ? Style::bad : Style::plain, 2);
  facts.add("cause", find_likely_cause(run.status), Style::bad, 2);
  facts.add("run", render_place_of(run));
  return facts.take();
}

/// Of the newest one, while it goes on, the state of the run.
std::string render_outcome(const KnownRun& run, const AttemptStatus& attempt) {
  if (!attempt.outcome.empty()) return words_of(attempt.outcome);
  const bool goes_on = attempt.number == run.status.newest_attempt() && !is_final(run.status.state);
  return goes_on ? words_of(run.status.state) : "-";
}

Screen render_attempts(const KnownRun& run, const Frame& frame) {
  const auto& attempts = run.status.attempts;
  Screen lines;
  if (attempts.size() < 2) return lines;
  lines.push_back(LineBuilder(frame).gap(1).add("ATTEMPTS", Style::head).finish());
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend() && lines.size() <= kMostAttempts;
       ++attempt) {
    const auto outcome = render_outcome(run, *attempt);
    const auto ran = attempt->started && attempt->ended
                         ? "ran " + render_short_time(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        *attempt->ended - *attempt->started))
                         : "";
    const auto from = attempt->resumed_from ? fmt::format("from step {}", *attempt->resumed_from) : "";
    const auto to = attempt->last_step ? fmt::format("to step {}", *attempt->last_step) : "";
    LineBuilder line(frame);
    line.gap(1).add_cell(std::to_string(attempt->number), 4, Align::right).gap(2);
    line.add_cell(outcome, 10, Align::left, outcome == "failed" ? Style::bad : Style::plain).gap(1);
    lines.push_back(line.add(join_parts({ran, from, to, attempt->message})).finish());
  }
  return lines;
}

Screen render_log(const TopPage& page, const RunDetails& details, std::size_t height, const Frame& frame) {
  const auto rule = frame.charset == Charset::utf8 ? "─" : "-";
  LineBuilder head(frame);
  head.add(std::string(rule) + rule + " ", Style::dim)
      .add(fmt::format("log of rank {} ", page.rank), Style::strong);
  while (head.room() > 0) head.add(rule, Style::dim);
  Screen lines{head.finish()};
  const bool is_of_rank = details.log_rank == page.rank;
  const auto& log = details.log;
  if (height < 2 || !is_of_rank) return lines;
  const auto count = std::min(log.size(), height - 1);
  for (auto line = log.end() - static_cast<std::ptrdiff_t>(count); line != log.end(); ++line) {
    LineBuilder builder(frame);
    builder.add(line->is_error ? " err " : "     ", Style::warn);
    lines.push_back(builder.add(line->text).finish());
  }
  if (log.empty())
    lines.push_back(LineBuilder(frame).gap(5).add("it has printed nothing", Style::dim).finish());
  return lines;
}

/// How the rows between the title and the last line are shared.
struct Shares {
  std::size_t ranks = 0;
  std::size_t log = 0;
};

Shares share_rows(std::size_t facts, std::size_t attempts, std::size_t ranks, std::size_t others,
                  std::size_t rows) {
  const auto fixed = others + facts + attempts + 1;  // the head of the ranks
  const auto left = rows > fixed ? rows - fixed : 0;
  Shares shares;
  const auto most = left > kLeastLog ? std::max(left / 2, left - std::min(left, std::size_t{14})) : left;
  shares.ranks = std::min(ranks, std::max<std::size_t>(most, 1));
  shares.log = left - std::min(left, shares.ranks);
  return shares;
}

/// Between the parts, where there is room for it.
std::size_t gap_rows(const Frame& frame) {
  return frame.rows >= 36 ? 1 : 0;
}

/// Title, last line, and what stands between the parts.
std::size_t other_rows(const TopData& data, const Frame& frame) {
  return 2 + data.complaints.size() + 3 * gap_rows(frame);
}

}  // namespace

std::size_t rank_height(const TopData& data, const Frame& frame) {
  if (!data.details) return 1;
  const auto& details = *data.details;
  const auto facts = render_facts_part(details, frame).size();
  const auto attempts = render_attempts(details.run, frame).size();
  return share_rows(facts, attempts, ranks_of(data).size(), other_rows(data, frame), frame.rows).ranks;
}

Screen render_run(const TopPage& page, const TopData& data, const Frame& frame) {
  if (was_removed(data, page.run_id))
    return {LineBuilder(frame).gap(1).add("the run is gone; press Esc to go back", Style::warn).finish()};
  if (!data.details || data.details->run_id != page.run_id) {
    return {LineBuilder(frame).gap(1).add("reading the run folder", Style::dim).finish()};
  }
  const auto& details = *data.details;
  Screen screen = render_facts_part(details, frame);
  const auto attempts = render_attempts(details.run, frame);
  const auto ranks = ranks_of(data);
  const auto shares =
      share_rows(screen.size(), attempts.size(), ranks.size(), other_rows(data, frame), frame.rows);
  const auto gap = [&] { screen.resize(screen.size() + gap_rows(frame)); };
  gap();
  if (!ranks.empty()) {
    screen.push_back(render_rank_head(frame));
    for (auto place = page.first; place < ranks.size() && place < page.first + shares.ranks; ++place)
      screen.push_back(render_rank_row(details.run, ranks[place],
                                       ranks[place] == page.rank ? Row::selected : Row::plain, frame));
  }
  gap();
  screen.insert(screen.end(), attempts.begin(), attempts.end());
  if (!attempts.empty()) gap();
  if (shares.log > 0) {
    const auto log = render_log(page, details, shares.log, frame);
    screen.insert(screen.end(), log.begin(), log.end());
  }
  return screen;
}

}  // namespace ddp::cli
