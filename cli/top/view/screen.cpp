#include "cli/top/view/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "cli/output/run/sweep_table.hpp"
#include "cli/output/time_text.hpp"
#include "cli/top/model/run_facts.hpp"
#include "cli/top/view/line_builder.hpp"
#include "cli/top/view/list_view.hpp"
#include "cli/top/view/run_view.hpp"
#include "cli/top/view/run_words.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kGapOfTitle = 2;
constexpr std::size_t kClock = 8;  // of "2026-11-21 20:15:04" the end

std::string count_by_state(const TopPage& page, const TopData& data) {
  std::map<std::string, int> counts;
  for (const auto* run : rows_of(page, data))
    if (!is_unread(*run))
      ++counts[run->status.state == RunState::timed_out ? "FAILED" : render_state_word(*run)];
  std::string text;
  // What somebody looks for comes first.
  for (const auto* word : {"STALLED", "FAILED", "running", "restarting", "suspended", "queued", "unknown"}) {
    const auto found = counts.find(word);
    if (found != counts.end()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, word);
  }
  return text;
}

std::string render_sort(const TopPage& page) {
  std::string text;
  if (page.sort != SortBy::activity) text += fmt::format("by {}", name_of(page.sort));
  if (!page.filter.empty()) text += fmt::format("{}filter '{}'", text.empty() ? "" : ", ", page.filter);
  return text;
}

/// "2 of 32" with a filter, else empty.
std::string count_shown(const TopPage& page, const TopData& data, std::size_t all) {
  return page.filter.empty() ? "" : fmt::format("{} of {}", rows_of(page, data).size(), all);
}

std::string render_list_title(const TopPage& page, const TopData& data) {
  if (page.kind == PageKind::points) {
    const auto* sweep = find_run(data, page.run_id);
    if (sweep == nullptr) return "sweep " + page.run_id;
    const auto shown = count_shown(page, data, sweep->points.size());
    return fmt::format("sweep {}  {}{}", page.run_id,
                       shown.empty() ? "" : shown + " points: ", sweep->status.message);
  }
  const auto counts = count_by_state(page, data);
  const auto unread = data.unread > 0 ? fmt::format("  reading {} more", data.unread) : "";
  const auto runs = std::ranges::count(data.runs, false, &TopRun::gone);
  const auto shown = count_shown(page, data, static_cast<std::size_t>(runs));
  return fmt::format("ddpsubmit top  {} run{}{}{}{}", shown.empty() ? std::to_string(runs) : shown,
                     runs == 1 ? "" : "s", counts.empty() ? "" : ": ", counts, unread);
}

std::string render_run_title(const TopPage& page, const TopData& data) {
  const auto* run = find_run(data, page.run_id);
  if (run == nullptr) return page.run_id;
  std::string point;
  if (const auto slash = page.run_id.find('/'); slash != page.run_id.npos) {
    const auto* sweep = find_run(data, page.run_id.substr(0, slash));
    const auto number = sweep == nullptr ? 0 : static_cast<std::size_t>(run - sweep->points.data());
    if (sweep != nullptr && sweep->sweep && number < sweep->sweep->points.size())
      point = "  " + render_point(*sweep->sweep, number);
  }
  return fmt::format("{}  {}{}", page.run_id, render_state_word(*run), point);
}

Line render_title(const TopPage& page, const TopData& data, const Frame& frame) {
  const auto clock = render_local_time(frame.now);
  LineBuilder line(frame);
  line.gap(1).add(page.kind == PageKind::run ? render_run_title(page, data) : render_list_title(page, data),
                  Style::strong);
  const auto sort = page.kind == PageKind::run ? "" : render_sort(page);
  const auto time = clock.substr(clock.size() - std::min(clock.size(), kClock));
  const auto both = fmt::format("{}{}{} ", sort, sort.empty() ? "" : "  ", time);
  line.add_at_end(columns_of(both) + kGapOfTitle <= line.room() ? both : sort + ' ');
  if (line.room() > 0) line.gap(line.room());
  return line.finish(Row::bar);
}

/// Whether the key is named in the last line: it does something here, about the run that is chosen.
bool is_offered(const KeyBinding& key, const TopState& state, const KnownRun* run) {
  const bool is_list = state.page().kind != PageKind::run;
  const bool is_inner = state.pages.size() > 1;
  const bool here =
      key.on == KeyOf::all || (key.on == KeyOf::lists && is_list) || (key.on == KeyOf::inner && is_inner);
  return here && !key.brief.empty() && is_possible(key.action, run);
}

/// What Esc does where there is nothing to go back to.
bool drops_filter(const TopState& state) {
  return state.pages.size() == 1 && !state.page().filter.empty();
}

Line render_keys(const TopState& state, const TopData& data, const Frame& frame) {
  std::vector<std::pair<std::string_view, std::string_view>> keys;
  if (state.page().kind == PageKind::run) keys.emplace_back("Up/Down", "rank");
  const auto* run = run_in_question(state.page(), data);
  for (const auto& row : key_table()) {
    if (row.action == Action::back && drops_filter(state)) keys.emplace_back("Esc", "drop filter");
    if (is_offered(row, state, run)) keys.emplace_back(row.shown.substr(0, row.shown.find(',')), row.brief);
  }
  std::size_t width = 1;
  for (const auto& [key, brief] : keys) width += key.size() + brief.size() + 3;
  const std::size_t gap = width <= frame.columns + 2 ? 2 : 1;
  LineBuilder line(frame);
  for (const auto& [key, brief] : keys)
    line.gap(&key == &keys.front().first ? 1 : gap).add(key, Style::strong).add(" ").add(brief);
  return line.finish();
}

Line render_last_line(const TopState& state, const TopData& data, const Frame& frame) {
  LineBuilder line(frame);
  line.gap(1);
  if (state.question) {
    constexpr std::string_view kAnswers = " (y/n) ";
    const auto room = line.room() - std::min(line.room(), kAnswers.size());
    line.add(shorten_longest_word(state.question->text, room, frame.charset), Style::warn);
    return line.add(kAnswers, Style::warn).finish();
  }
  if (state.filter_before) {
    line.add("filter: ", Style::strong).add(state.page().filter).add("_");
    return line.add("   Enter keeps it, Esc drops it", Style::dim).finish();
  }
  if (!state.message.empty())
    return line.add(shorten_longest_word(state.message, line.room(), frame.charset), Style::strong).finish();
  return render_keys(state, data, frame);
}

constexpr std::array kHelpBelow{
    "", "LEFT: time until the last step at the present pace. LIMIT: time until the time",
    "limit ends the job; '!' marks a run that will not finish before it."};

/// Those for which the screen is too low.
std::size_t hidden_help_rows(const Frame& frame) {
  const auto rows = 2 + key_table().size() + kHelpBelow.size();  // title and last line
  return rows - std::min(rows, frame.rows);
}

Screen render_help(std::size_t first, const Frame& frame) {
  Screen screen;
  LineBuilder title(frame);
  title.gap(1).add("Keys", Style::strong);
  title.gap(title.room());
  screen.push_back(title.finish(Row::bar));
  for (const auto& row : key_table()) {
    LineBuilder line(frame);
    line.gap(2).add_cell(row.shown, 13, Align::left, Style::strong);
    screen.push_back(line.add(row.doc).finish());
  }
  for (const auto* text : kHelpBelow) screen.push_back(LineBuilder(frame).gap(2).add(text).finish());
  const auto hidden = static_cast<std::ptrdiff_t>(std::min(first, hidden_help_rows(frame)));
  screen.erase(screen.begin() + 1, screen.begin() + 1 + hidden);
  return screen;
}

Screen render_notice(const TopNotice& notice, const Frame& frame) {
  LineBuilder title(frame);
  title.gap(1).add(notice.title, Style::strong);
  title.gap(title.room());
  Screen screen{title.finish(Row::bar)};
  for (const auto& text : notice.lines)
    for (const auto& part :
         wrap_words(text, frame.columns - std::min<std::size_t>(frame.columns, 4), 4, frame.charset))
      screen.push_back(LineBuilder(frame).gap(2).add(part).finish());
  return screen;
}

/// Cut or filled up to all rows but the last.
Screen with_last_line(Screen screen, Line last, const Frame& frame) {
  screen.resize(std::max<std::size_t>(frame.rows, 1) - 1);
  screen.push_back(std::move(last));
  return screen;
}

Line render_way_back_from_help(const Frame& frame) {
  LineBuilder line(frame);
  line.gap(1);
  if (hidden_help_rows(frame) > 0) line.add("Up/Down", Style::strong).add(" shows the others  ");
  return line.add("any key", Style::strong).add(" goes back").finish();
}

Line render_way_back(const Frame& frame) {
  return LineBuilder(frame).gap(1).add("any key", Style::strong).add(" goes back").finish();
}

}  // namespace

std::size_t page_rows(const TopState& state, const TopData& data, const Frame& frame) {
  return state.page().kind == PageKind::run ? rank_height(data, frame) : list_height(data, frame);
}

void keep_in_view(const TopData& data, const Frame& frame, TopState& state) {
  if (state.help) state.help = std::min(*state.help, hidden_help_rows(frame));
  auto& page = state.page();
  std::size_t place = 0;
  std::size_t count = 0;
  if (page.kind == PageKind::run) {
    const auto ranks = ranks_of(data);
    const auto found = std::ranges::find(ranks, page.rank);
    if (found == ranks.end() && !ranks.empty()) page.rank = ranks.front();
    place = found == ranks.end() ? 0 : static_cast<std::size_t>(found - ranks.begin());
    count = ranks.size();
  } else {
    const auto rows = rows_of(page, data);
    place = selected_row(page, rows);
    count = rows.size();
    // From now on it is this run, wherever its row goes.
    if (page.selected.empty() && !rows.empty() && data.unread == 0)
      page.selected = rows[place]->pointer.run_id;
  }
  const auto height = std::max<std::size_t>(page_rows(state, data, frame), 1);
  page.first = std::min(page.first, count > height ? count - height : 0);
  if (place < page.first) page.first = place;
  if (place >= page.first + height) page.first = place + 1 - height;
}

Screen render_screen(const TopState& state, const TopData& data, const Frame& frame) {
  if (state.help)
    return with_last_line(render_help(*state.help, frame), render_way_back_from_help(frame), frame);
  if (state.notice) return with_last_line(render_notice(*state.notice, frame), render_way_back(frame), frame);
  const auto& page = state.page();
  Screen screen{render_title(page, data, frame)};
  for (const auto& complaint : data.complaints)
    screen.push_back(LineBuilder(frame).gap(1).add(complaint, Style::warn).finish());
  auto body = page.kind == PageKind::run ? render_run(page, data, frame) : render_list(page, data, frame);
  for (auto& line : body) screen.push_back(std::move(line));
  return with_last_line(std::move(screen), render_last_line(state, data, frame), frame);
}

}  // namespace ddp::cli
