#include "cli/top/view/list_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/sweep_table.hpp"
#include "cli/output/time_text.hpp"
#include "cli/top/model/run_facts.hpp"
#include "cli/top/view/figures.hpp"
#include "cli/top/view/line_builder.hpp"
#include "cli/top/view/point_name.hpp"
#include "cli/top/view/run_words.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t kMarkColumns = 2;
constexpr std::size_t kState = 10;
constexpr std::size_t kPercent = 5;
constexpr std::size_t kLoss = 8;
constexpr std::size_t kRate = 9;
constexpr std::size_t kTime = 7;
constexpr std::size_t kLimitColumns = kTime + 1;  // with a mark
constexpr std::size_t kStepColumns = 17;
constexpr std::size_t kLauncher = 8;
constexpr std::size_t kAge = 6;
constexpr std::size_t kJob = 9;
constexpr std::size_t kWidestName = 34;
constexpr std::size_t kBelow = 3;  // the rule and two lines about the chosen run

/// How wide the columns are; 0: there is no room for the column.
struct Columns {
  std::size_t name = 0, bar = 6, steps = 0, launcher = 0, age = 0, job = 0, note = 0, gap = 1;
};

Columns choose_columns(std::size_t width) {
  Columns columns;
  if (width >= 100) {
    columns.gap = 2;
    columns.steps = kStepColumns;
  }
  if (width >= 124) columns.age = kAge;
  if (width >= 140) columns.launcher = kLauncher;
  if (width >= 156) columns.job = kJob;
  if (width >= 110) columns.bar = 10;
  std::size_t used = kMarkColumns + kState + columns.bar + kPercent + kLoss + kRate + kTime + kLimitColumns +
                     6 * columns.gap;
  for (const auto optional : {columns.steps, columns.age, columns.launcher, columns.job})
    if (optional > 0) used += optional + columns.gap;
  const auto left = width - std::min(width, used);
  columns.name = std::min(std::max<std::size_t>(left, 8), kWidestName);
  if (left > columns.name + 30) columns.note = left - columns.name - columns.gap;
  return columns;
}

/// nullopt: it is none.
std::optional<std::size_t> number_of_point(const KnownRun& run, const KnownRun* sweep) {
  if (sweep == nullptr || !sweep->sweep || sweep->points.empty()) return std::nullopt;
  const auto number = static_cast<std::size_t>(&run - sweep->points.data());
  return number < sweep->sweep->points.size() ? std::optional(number) : std::nullopt;
}

std::string name_in_list(const KnownRun& run, const KnownRun* sweep, const Columns& columns,
                         const Frame& frame) {
  const auto number = number_of_point(run, sweep);
  return number ? render_point_name(*sweep->sweep, *number, columns.name, frame.charset) : run.pointer.run_id;
}

Line render_head(const KnownRun* sweep, const Columns& columns, const Frame& frame) {
  LineBuilder line(frame);
  const auto cell = [&](std::string_view text, std::size_t width, Align align) {
    if (width > 0) line.gap(columns.gap).add_cell(text, width, align, Style::head);
  };
  line.gap(kMarkColumns)
      .add_cell(sweep != nullptr && sweep->sweep ? render_point_head(*sweep->sweep) : "RUN", columns.name,
                Align::left, Style::head);
  cell("STATE", kState, Align::left);
  cell("PROGRESS", columns.bar + kPercent, Align::left);
  cell("STEP", columns.steps, Align::right);
  cell("LOSS", kLoss, Align::right);
  cell("SAMPLES/S", kRate, Align::right);
  cell("LEFT", kTime, Align::right);
  cell("LIMIT", kLimitColumns, Align::right);
  cell("AGE", columns.age, Align::right);
  cell("LAUNCHER", columns.launcher, Align::left);
  cell("JOB", columns.job, Align::left);
  cell("NOTE", columns.note, Align::left);
  return line.finish();
}

std::string render_steps(const KnownRun& run) {
  const auto step = reached_step(run);
  if (step == 0 && !run.live) return {};
  auto text = render_step(step, run);
  constexpr std::string_view kStep = "step ";
  text.erase(0, kStep.size());
  if (const auto of = text.find(" of "); of != text.npos) text.replace(of, 4, "/");
  return text;
}

bool shows_progress(const KnownRun& run) {
  const bool goes_on = run.status.state == RunState::running || run.status.state == RunState::unknown;
  return goes_on && !run.sweep && (done_share(run) || reached_step(run) > 0);
}

/// Of a point it is the result that counts.
bool shows_result(const KnownRun& run) {
  const bool is_point = run.pointer.run_id.find('/') != std::string::npos;
  return is_point && is_final(run.status.state) && current_loss(run);
}

void add_bar(const KnownRun& run, const Columns& columns, const Frame& frame, LineBuilder& line) {
  const auto share = done_share(run);
  if (!share) {
    line.add_cell(render_step(reached_step(run), run), columns.bar + kPercent);
    return;
  }
  const auto bar = make_bar(*share, columns.bar, frame.charset);
  line.add(bar.done, Style::good).add(bar.rest, Style::dim);
  line.add_cell(fmt::format("{:.0f} %", std::floor(*share * 100)), kPercent, Align::right);
}

/// "1 h 15" of "1 h 15 min".
std::string render_narrow_time(milliseconds time) {
  auto text = render_short_time(time);
  constexpr std::string_view kMinutes = " min";
  const bool has_hours = text.find('h') != text.npos;
  if (has_hours && text.ends_with(kMinutes)) text.resize(text.size() - kMinutes.size());
  return text;
}

void add_progress(const KnownRun& run, const Columns& columns, const Frame& frame, LineBuilder& line) {
  add_bar(run, columns, frame, line);
  const auto cell = [&](std::string_view text, std::size_t width, Style style = Style::plain) {
    if (width > 0) line.gap(columns.gap).add_cell(text, width, Align::right, style);
  };
  cell(render_steps(run), columns.steps);
  cell(or_dash(render_loss(current_loss(run))), kLoss);
  cell(or_dash(render_rate(current_throughput(run))), kRate);
  if (is_final(run.status.state)) {
    const auto accuracy = run.progress ? run.progress->accuracy : std::nullopt;
    cell(accuracy ? fmt::format("accuracy {:.4f}", *accuracy) : "", kTime + columns.gap + kLimitColumns);
    return;
  }
  const auto left = time_to_end(run);
  const auto limit = time_to_limit(run, frame.now);
  cell(left ? render_narrow_time(*left) : "-", kTime);
  // A mark, as the colour alone may not be seen.
  const bool early = ends_too_early(run, frame.now);
  cell(limit ? (early ? "!" : "") + render_narrow_time(*limit) : "-", kLimitColumns,
       early ? Style::warn : Style::plain);
}

void add_place(const KnownRun& run, const Columns& columns, const Frame& frame, LineBuilder& line) {
  const auto age = duration_cast<milliseconds>(frame.now - run.pointer.created);
  if (columns.age > 0) line.gap(columns.gap).add_cell(render_age(age), columns.age, Align::right);
  if (columns.launcher > 0) line.gap(columns.gap).add_cell(run.pointer.launcher, columns.launcher);
  if (columns.job > 0) line.gap(columns.gap).add_cell(or_dash(run.status.job_id), columns.job);
}

/// The columns of progress, as one.
std::size_t span_of_progress(const Columns& columns) {
  const auto steps = columns.steps > 0 ? columns.steps + columns.gap : 0;
  return columns.bar + kPercent + steps + kLoss + kRate + kTime + kLimitColumns + 4 * columns.gap;
}

Line render_run_row(const KnownRun& run, std::string_view name, Row row, const Columns& columns,
                    const Frame& frame) {
  LineBuilder line(frame);
  line.add(row == Row::selected ? "> " : "  ", Style::strong);
  line.add_cell(name, columns.name, Align::left, is_final(run.status.state) ? Style::dim : Style::plain);
  line.gap(columns.gap).add_cell(render_state_word(run), kState, Align::left, style_of_state(run));
  line.gap(columns.gap);
  const bool alone = columns.note == 0 && columns.age == 0;
  if (shows_result(run) || (shows_progress(run) && !is_stalled(run))) {
    add_progress(run, columns, frame, line);
    add_place(run, columns, frame, line);
    if (columns.note > 0) line.gap(columns.gap).add(render_warning(run, frame.now), Style::warn);
  } else if (alone) {
    line.add(render_note(run, frame.now), run.status.state == RunState::failed ? Style::plain : Style::dim);
  } else {
    line.add_cell(render_note(run, frame.now), span_of_progress(columns), Align::left);
    add_place(run, columns, frame, line);
  }
  return line.finish(row);
}

Line render_unread_row(const KnownRun& run, const Columns& columns, const Frame& frame) {
  LineBuilder line(frame);
  line.gap(kMarkColumns).add_cell(run.pointer.run_id, columns.name, Align::left, Style::dim);
  line.gap(columns.gap).add("reading its folder", Style::dim);
  return line.finish();
}

/// All that there is to say of the chosen run, below the list.
Screen render_chosen(const KnownRun* run, const KnownRun* sweep, std::size_t below, const Frame& frame) {
  const auto rule = frame.charset == Charset::utf8 ? "─" : "-";
  Screen lines;
  LineBuilder head(frame);
  head.add(std::string(rule) + rule + " ", Style::dim);
  if (run != nullptr && !is_unread(*run)) {
    head.add(run->pointer.run_id, Style::strong);
    const auto job = run->status.job_id.empty() ? "" : fmt::format(", job {}", run->status.job_id);
    const auto attempt =
        run->status.newest_attempt() > 0 ? fmt::format(", attempt {}", run->status.newest_attempt()) : "";
    head.add(fmt::format("  {} on {}{}{} ", render_state_word(*run), run->pointer.launcher, job, attempt));
  }
  const auto more = below > 0 ? fmt::format(" {} more below ", below) : "";
  while (head.room() > more.size() + 2) head.add(rule, Style::dim);
  if (head.room() == more.size() + 2) head.add(more);
  while (head.room() > 0) head.add(rule, Style::dim);
  lines.push_back(head.finish());
  const auto number = run == nullptr ? std::nullopt : number_of_point(*run, sweep);
  const auto values = number ? render_point(*sweep->sweep, *number) : "";
  const auto text =
      run == nullptr ? ""
                     : join_parts({values, run->status.message, render_expected_start(run->status, frame.now),
                                   render_news(*run), render_live(*run, frame.now)});
  for (const auto& part :
       wrap_words(text, frame.columns - std::min<std::size_t>(frame.columns, 3), 2, frame.charset))
    lines.push_back(LineBuilder(frame).gap(3).add(part).finish());
  lines.resize(kBelow);
  return lines;
}

std::string explain_empty(const TopPage& page, const TopData& data) {
  if (!page.filter.empty()) return fmt::format("no run matches '{}'; press Esc to see all", page.filter);
  if (page.kind == PageKind::points) return "the sweep is gone; press Esc to go back";
  return data.runs.empty() ? "no run has been started yet; start one: ddpsubmit run CONFIG" : "";
}

}  // namespace

std::size_t list_height(const TopData& data, const Frame& frame) {
  const auto others = 3 + kBelow + data.complaints.size();  // title, heads and last line
  return frame.rows > others ? frame.rows - others : 1;
}

Screen render_list(const TopPage& page, const TopData& data, const Frame& frame) {
  const auto columns = choose_columns(frame.columns);
  const auto rows = rows_of(page, data);
  const auto height = list_height(data, frame);
  const auto chosen = selected_row(page, rows);
  const auto* sweep = page.kind == PageKind::points ? find_run(data, page.run_id) : nullptr;
  Screen screen{render_head(sweep, columns, frame)};
  for (auto place = page.first; place < rows.size() && place < page.first + height; ++place) {
    const auto& run = *rows[place];
    screen.push_back(is_unread(run)
                         ? render_unread_row(run, columns, frame)
                         : render_run_row(run, name_in_list(run, sweep, columns, frame),
                                          place == chosen ? Row::selected : Row::plain, columns, frame));
  }
  if (rows.empty())
    screen.push_back(LineBuilder(frame).gap(kMarkColumns).add(explain_empty(page, data)).finish());
  screen.resize(1 + height);
  const auto below = rows.size() - std::min(rows.size(), page.first + height);
  for (auto& line : render_chosen(rows.empty() ? nullptr : rows[chosen], sweep, below, frame))
    screen.push_back(std::move(line));
  return screen;
}

}  // namespace ddp::cli
