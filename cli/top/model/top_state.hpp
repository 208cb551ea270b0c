#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/model/keys.hpp"
#include "cli/top/model/list_rows.hpp"
#include "cli/top/model/top_data.hpp"

namespace ddp::cli {

enum class PageKind { runs, points, run };

/// A screen, and what is chosen on it.
struct TopPage {
  PageKind kind = PageKind::runs;
  std::string run_id = {};    ///< of the run or the sweep that it is about
  std::string selected = {};  ///< on a list: the run id of the chosen row
  int rank = 0;               ///< on the screen of a run: the chosen rank
  std::size_t first = 0;      ///< the first row that is shown
  SortBy sort = SortBy::activity;
  std::string filter = {};
};

/// What the loop is to do.
struct TopOrder {
  enum class Kind { quit, refresh, follow_logs, cancel, rerun };
  Kind kind = Kind::quit;
  std::string run_id = {};
  std::optional<int> rank = {};  ///< of logs; nullopt: all
};

/// A question that `y` says yes to.
struct TopQuestion {
  std::string text;
  TopOrder order;
};

/// Lines to read, in front of the screen, until a key closes them.
struct TopNotice {
  std::string title;
  std::vector<std::string> lines;
};

struct TopState {
  std::vector<TopPage> pages = {TopPage{}};  ///< the last one is shown; never empty
  std::optional<TopQuestion> question = {};
  std::optional<std::string> filter_before = {};  ///< while a filter is typed: the one before
  std::optional<std::size_t> help = {};           ///< the keys are shown; the first of their rows
  std::optional<TopNotice> notice = {};
  std::string message = {};  ///< what the last action has come to

  [[nodiscard]] TopPage& page() { return pages.back(); }
  [[nodiscard]] const TopPage& page() const { return pages.back(); }
};

/// The rows of the list that is shown; empty on the screen of a run.
[[nodiscard]] RunRows rows_of(const TopPage& page, const TopData& data);

/// The place of the chosen row; the first where that is gone.
[[nodiscard]] std::size_t selected_row(const TopPage& page, const RunRows& rows);

/// The run that an action is about: that of the screen, or of the chosen row. nullptr: there is none.
[[nodiscard]] const KnownRun* run_in_question(const TopPage& page, const TopData& data);

/// Whether the key of an action does something about this run; nullptr: there is none.
[[nodiscard]] bool is_possible(Action action, const KnownRun* run);

/// The numbers of the ranks of the run that is shown.
[[nodiscard]] std::vector<int> ranks_of(const TopData& data);

/// Opens the screen of a run, or of a sweep.
void open_run(const KnownRun& run, TopState& state);

/// Takes a key. `page_rows`: how many rows a page up or down goes.
[[nodiscard]] std::optional<TopOrder> take_key(PressedKey key, std::size_t page_rows, const TopData& data,
                                               TopState& state);

}  // namespace ddp::cli
