#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ddp {

/// One event: {"time": ISO-8601 UTC with milliseconds, "event": name, …}. docs/architecture.md lists names
/// and fields.
struct LedgerEvent {
  std::chrono::system_clock::time_point time;
  std::string event;
  nlohmann::json fields = nlohmann::json::object();  ///< without time and event
};

/// No writer writes this event: load_ledger puts it in the place of lines that are not events, with the
/// time at which they were written at the latest, as far as the clock of the file server tells. Fields:
/// writer; place, "FILE:LINE" of the first; lines, how many stand there; after, the time of the line before
/// them; token, where they or the name of the file show that of a submission; reason, of a file that cannot
/// be read.
inline constexpr std::string_view kDamagedLines = "damaged_lines";

/// Whether the events of single ranks are wanted: most of the ledger of a large run.
enum class RankEvents { load, skip };

}  // namespace ddp
