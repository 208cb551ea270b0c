#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ddp {

class EventFields;

/// The first failure of an attempt, as the ledger tells of it.
struct Cause {
  std::optional<int> rank = {};  ///< of the rank to blame; nullopt: it is none
  std::string host = {};         ///< empty: no host in particular
  std::optional<int> code = {};
  std::optional<int> signal = {};
  std::optional<std::uint64_t> last_step = {};
  std::string phase = {};        ///< of the rank
  std::string stderr_tail = {};  ///< the end of what it, or what has started it, has printed
  std::string what = {};         ///< in words
  /// When the rank ended, or last advanced if it was named alive, by its host's clock; or when a lost agent
  /// was last heard, by head's. nullopt: not known.
  std::optional<std::chrono::system_clock::time_point> since = {};

  void describe(EventFields& fields);
};

[[nodiscard]] nlohmann::json to_json(Cause cause);
/// Lenient: what is absent or of another type has no value.
[[nodiscard]] Cause parse_cause(const nlohmann::json& fields);

/// What the failure most likely comes from, in one line without control characters: the line of its
/// stderr_tail that says so, or what a SIGKILL means that nobody of the run has sent. Empty: nothing tells.
[[nodiscard]] std::string likely_cause_of(const Cause& cause);

}  // namespace ddp
