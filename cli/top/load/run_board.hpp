#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/top/load/file_stamp.hpp"
#include "cli/top/load/ledger_stamp.hpp"
#include "cli/top/load/state_questions.hpp"
#include "cli/top/model/top_data.hpp"

namespace ddp::cli {

/// Keeps what is known of many runs up to date, from their folders and from answers of their launchers. Reads
/// only files that have changed; of many runs that have ended it looks less often whether they were
/// started again.
class RunBoard {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `chosen`: only these; empty: all of the store, also those that are started later.
  RunBoard(const LauncherSeams& seams, RunStore store, std::vector<RunPointer> chosen);

  enum class Look { complete, out_of_time };
  /// Goes once through all runs, and goes on where it stopped when `until` came first.
  [[nodiscard]] Look look(Time now, Time until, TopData& data);
  void take(StateAnswer answer);
  /// Those whose records have no end; until the next call.
  [[nodiscard]] std::vector<OpenRun> open_runs() const;

 private:
  struct Files {
    FileStamp live;
    FileStamp metrics;
    bool operator==(const Files&) const = default;
  };
  /// A run, or a sweep with its points.
  struct Entry {
    RunPointer pointer;
    std::vector<LedgerStamp> ledgers = {};
    std::vector<Files> files = {};
    RunStatus recorded = {};
    std::optional<StateAnswer> answer = {};
    bool answer_is_new = false;
    bool read = false;
    Time next_look = {};  // of one that has ended
  };

  void list_runs(TopData& data);
  void look_at(Entry& entry, Time now, TopRun& shown);
  [[nodiscard]] static bool is_started_again(const Entry& entry);
  void load(Entry& entry);
  [[nodiscard]] static std::vector<Files> files_of(const Entry& entry);

  StatusResolver records_;  // asks nobody
  RunStore store_;
  std::vector<RunPointer> chosen_;
  FileStamp of_store_;
  bool listed_ = false;
  std::vector<Entry> entries_;  // in the order of TopData::runs
  std::size_t next_ = 0;        // the first that this round has not looked at
};

}  // namespace ddp::cli
