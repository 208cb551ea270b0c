#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ddp {

/// One event: {"time": ISO-8601 UTC with milliseconds, "event": name, …}. events.hpp has names and fields.
struct LedgerEvent {
  std::chrono::system_clock::time_point time;
  std::string event;
  nlohmann::json fields = nlohmann::json::object();  ///< without time and event
};

/// Whether the events of single ranks are wanted: most of the ledger of a large run.
enum class RankEvents { load, skip };

}  // namespace ddp
