#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/phase.hpp"
#include "jobenv/record/signal_name.hpp"

namespace ddp {

/// Who ended a rank: itself (exit, crash, a foreign kill), or the agent that stopped it because of something
/// else.
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
  PhaseName phase;
  std::optional<std::uint64_t> checkpoint_milliseconds;  ///< that the last checkpoint took; nullopt: none yet
  std::string killed;  ///< "python3 (pid 4711)": descendants that had outlived its first process; empty: none
  bool outlived = false;  ///< `signal` or `code` is that of the first process, such as a shell; what it had
                          ///< started went on
  std::chrono::system_clock::time_point started;
  std::chrono::system_clock::time_point ended;
  std::string stderr_tail;  ///< at most 4 KiB, valid UTF-8

  [[nodiscard]] bool succeeded() const { return code == 0; }
  bool operator==(const ExitRecord&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const ExitRecord& record);
/// Strict, as parse_launch_plan is; exactly one of code and signal has a value.
[[nodiscard]] Expected<ExitRecord> parse_exit_record(const nlohmann::json& json);

/// Of a file that such a record was saved in.
[[nodiscard]] Expected<ExitRecord> load_exit_record(const std::filesystem::path& file);

/// "exit code 3" or "signal 9 (KILL)".
[[nodiscard]] std::string describe_end(const ExitRecord& record);

}  // namespace ddp
