#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace ddp {

/// One event: {"time": ISO-8601 UTC with milliseconds, "event": name, …}. events.hpp has names and fields.
struct LedgerEvent {
  std::chrono::system_clock::time_point time;
  std::string event;
  nlohmann::json fields = nlohmann::json::object();  ///< without time and event
};

/// The submission that an event of any kind names, by its token, and the job. Empty: it names none.
[[nodiscard]] std::string token_of(const LedgerEvent& event);
[[nodiscard]] std::string job_of(const LedgerEvent& event);
[[nodiscard]] std::string cluster_of(const LedgerEvent& event);

/// Whether the events of single ranks are wanted: most of the ledger of a large run.
enum class RankEvents { load, skip };

}  // namespace ddp
