#include "cli/top/model/top_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddp::cli {
namespace {

std::size_t moved(Action action, std::size_t at, std::size_t page_rows, std::size_t count) {
  const auto last = count == 0 ? 0 : count - 1;
  switch (action) {
    case Action::up:
      return at - std::min<std::size_t>(at, 1);
    case Action::down:
      return std::min(at + 1, last);
    case Action::page_up:
      return at - std::min(at, page_rows);
    case Action::page_down:
      return std::min(at + page_rows, last);
    case Action::home:
      return 0;
    case Action::end:
      return last;
    default:
      return at;
  }
}

void move(Action action, std::size_t page_rows, const TopData& data, TopState& state) {
  auto& page = state.page();
  if (page.kind != PageKind::run) {
    const auto rows = rows_of(page, data);
    if (rows.empty()) return;
    page.selected = rows[moved(action, selected_row(page, rows), page_rows, rows.size())]->pointer.run_id;
    return;
  }
  const auto ranks = ranks_of(data);
  const auto found = std::ranges::find(ranks, page.rank);
  const auto at = found == ranks.end() ? 0 : static_cast<std::size_t>(found - ranks.begin());
  if (!ranks.empty()) page.rank = ranks[moved(action, at, page_rows, ranks.size())];
}

void go_back(TopState& state) {
  if (state.pages.size() > 1) {
    state.pages.pop_back();
  } else {
    state.page().filter.clear();
  }
}

std::optional<TopOrder> follow_logs(const TopState& state, const KnownRun& run) {
  TopOrder order{.kind = TopOrder::Kind::follow_logs, .run_id = run.pointer.run_id};
  if (state.page().kind == PageKind::run) order.rank = state.page().rank;
  return order;
}

void ask(std::string text, TopOrder::Kind kind, const KnownRun& run, TopState& state) {
  state.question = {std::move(text), {.kind = kind, .run_id = run.pointer.run_id}};
}

/// "was cancelled", "succeeded".
std::string render_end_state(RunState state) {
  const auto words = words_of(state);
  return state == RunState::cancelled ? "was " + words : words;
}

void ask_cancel(const KnownRun& run, TopState& state) {
  const auto& id = run.pointer.run_id;
  if (is_final(run.status.state)) {
    state.message = fmt::format("{} has already ended: it {}", id, render_end_state(run.status.state));
    return;
  }
  ask(fmt::format("Cancel {} {}?", run.sweep ? "sweep" : "run", id), TopOrder::Kind::cancel, run, state);
}

void ask_rerun(const KnownRun& run, TopState& state) {
  const auto& id = run.pointer.run_id;
  if (!is_final(run.status.state)) {
    state.message = fmt::format("{} has not ended: it is {}", id, name_of(run.status.state));
    return;
  }
  ask(fmt::format("Start {} {} again?", run.sweep ? "the points that did not succeed of sweep" : "run", id),
      TopOrder::Kind::rerun, run, state);
}

std::optional<TopOrder> act_on_run(Action action, const TopData& data, TopState& state) {
  const auto* run = run_in_question(state.page(), data);
  if (run == nullptr) return std::nullopt;
  switch (action) {
    case Action::open:
      open_run(*run, state);
      break;
    case Action::cancel:
      ask_cancel(*run, state);
      break;
    case Action::rerun:
      ask_rerun(*run, state);
      break;
    default:
      if (!run->sweep) return follow_logs(state, *run);
      state.message = "each point of a sweep has its own logs: press Enter and choose a point";
  }
  return std::nullopt;
}

void change_list(Action action, const TopData& data, TopState& state) {
  auto& page = state.page();
  if (page.kind == PageKind::run) return;
  if (action == Action::filter) {
    state.filter_before = page.filter;
    return;
  }
  // The chosen row may be the first only because nothing else has been chosen.
  if (const auto* chosen = run_in_question(page, data)) page.selected = chosen->pointer.run_id;
  page.sort = action == Action::next_sort ? next_of(page.sort) : previous_of(page.sort);
}

std::optional<TopOrder> perform(Action action, std::size_t page_rows, const TopData& data, TopState& state) {
  switch (action) {
    case Action::none:
      break;
    case Action::quit:
      return TopOrder{.kind = TopOrder::Kind::quit};
    case Action::refresh:
      return TopOrder{.kind = TopOrder::Kind::refresh};
    case Action::help:
      state.help = 0;
      break;
    case Action::back:
      go_back(state);
      break;
    case Action::open:
      if (state.page().kind == PageKind::run) break;
      [[fallthrough]];
    case Action::follow_logs:
    case Action::cancel:
    case Action::rerun:
      return act_on_run(action, data, state);
    case Action::filter:
    case Action::next_sort:
    case Action::previous_sort:
      change_list(action, data, state);
      break;
    default:
      move(action, page_rows, data, state);
  }
  return std::nullopt;
}

/// Up to the character before the last.
void remove_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

void append_utf8(char32_t code, std::string& text) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += {static_cast<char>(0xc0 | (code >> 6)), tail(0)};
  } else if (code < 0x10000) {
    text += {static_cast<char>(0xe0 | (code >> 12)), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xf0 | (code >> 18)), tail(12), tail(6), tail(0)};
  }
}

void type_filter(PressedKey key, TopState& state) {
  auto& filter = state.page().filter;
  if (key == kKeyEscape) filter = *state.filter_before;
  if (key == kKeyEscape || key == kKeyEnter) {
    state.filter_before.reset();
  } else if (key == kKeyBackspace) {
    remove_last_character(filter);
  } else if (key >= U' ' && key < 0x110000 && key != 0x7f) {
    append_utf8(key, filter);
  }
}

std::optional<TopOrder> answer_question(PressedKey key, TopState& state) {
  auto question = *std::exchange(state.question, std::nullopt);
  if (key == U'y' || key == U'Y') return std::move(question.order);
  state.message = "nothing was changed";
  return std::nullopt;
}

void read_help(Action action, TopState& state) {
  if (action == Action::up) {
    state.help = *state.help - std::min<std::size_t>(*state.help, 1);
  } else if (action == Action::down) {
    state.help = *state.help + 1;
  } else {
    state.help.reset();
  }
}

}  // namespace

RunRows rows_of(const TopPage& page, const TopData& data) {
  if (page.kind == PageKind::runs) return list_runs(data, page.sort, page.filter);
  const auto* sweep = page.kind == PageKind::points ? find_run(data, page.run_id) : nullptr;
  return sweep == nullptr ? RunRows() : list_points(*sweep, page.sort, page.filter);
}

std::size_t selected_row(const TopPage& page, const RunRows& rows) {
  const auto found =
      std::ranges::find_if(rows, [&](const KnownRun* run) { return run->pointer.run_id == page.selected; });
  return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

const KnownRun* run_in_question(const TopPage& page, const TopData& data) {
  if (page.kind == PageKind::run) return find_run(data, page.run_id);
  const auto rows = rows_of(page, data);
  return rows.empty() ? nullptr : rows[selected_row(page, rows)];
}

bool is_possible(Action action, const KnownRun* run) {
  switch (action) {
    case Action::open:
      return run != nullptr;
    case Action::follow_logs:
      return run != nullptr && !run->sweep;
    case Action::cancel:
      return run != nullptr && !is_final(run->status.state);
    case Action::rerun:
      return run != nullptr && is_final(run->status.state);
    default:
      return true;
  }
}

std::vector<int> ranks_of(const TopData& data) {
  std::vector<int> ranks;
  if (!data.details) return ranks;
  const auto& run = data.details->run;
  if (!run.status.attempts.empty())
    for (const auto& rank : run.status.attempts.back().ranks) ranks.push_back(rank.rank);
  if (ranks.empty() && run.live)
    for (const auto& rank : run.live->ranks) ranks.push_back(rank.rank);
  return ranks;
}

void open_run(const KnownRun& run, TopState& state) {
  const bool is_sweep = run.sweep.has_value();
  state.pages.push_back({.kind = is_sweep ? PageKind::points : PageKind::run, .run_id = run.pointer.run_id});
  if (run.status.state == RunState::failed && run.status.cause)
    state.page().rank = run.status.cause->rank.value_or(0);
}

std::optional<TopOrder> take_key(PressedKey key, std::size_t page_rows, const TopData& data,
                                 TopState& state) {
  state.message.clear();
  if (state.help) {
    read_help(action_of(key), state);
    return std::nullopt;
  }
  if (std::exchange(state.notice, std::nullopt)) return std::nullopt;
  if (state.question) return answer_question(key, state);
  if (state.filter_before) {
    type_filter(key, state);
    return std::nullopt;
  }
  return perform(action_of(key), page_rows, data, state);
}

}  // namespace ddp::cli
