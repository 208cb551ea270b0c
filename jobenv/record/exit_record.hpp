#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/progress_page.hpp"

namespace ddp {

/// Who ended a rank: itself (exit, crash, a foreign kill), or the agent that stopped it because of something else.
enum class EndedBy { itself, agent };
[[nodiscard]] std::string_view name_of(EndedBy ended_by);

/// How one rank of one attempt ended: exit/attempt-N/rank-R.json, written by the rank's agent.
struct ExitRecord {
  int attempt = 0;
  int rank = 0;
  int local_rank = 0;
  std::string host;
  int pid = 0;
  std::optional<int> code;    ///< exit code, or
  std::optional<int> signal;  ///< the signal that ended it
  EndedBy ended_by = EndedBy::itself;
  std::optional<std::uint64_t> last_step;
  Phase phase = Phase::start;
  std::chrono::system_clock::time_point started;
  std::chrono::system_clock::time_point ended;
  std::string stderr_tail;  ///< at most 4 KiB, valid UTF-8

  [[nodiscard]] bool succeeded() const { return code == 0; }
};

[[nodiscard]] nlohmann::json to_json(const ExitRecord& record);
[[nodiscard]] Expected<ExitRecord> parse_exit_record(const nlohmann::json& json);

/// "exit code 3" or "signal 9 (KILL)".
[[nodiscard]] std::string describe_end(const ExitRecord& record);

/// "KILL" for 9, "RTMIN+1" for 35, "signal 77" for what has no name.
[[nodiscard]] std::string signal_name(int signal);
/// The number of "USR2" or "SIGUSR2".
[[nodiscard]] Expected<int> parse_signal(std::string_view name);

}  // namespace ddp
