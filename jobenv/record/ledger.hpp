#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// One event: {"time": ISO-8601 UTC with milliseconds, "event": name, …}. docs/architecture.md lists names and fields.
struct LedgerEvent {
  std::chrono::system_clock::time_point time;
  std::string event;
  nlohmann::json fields = nlohmann::json::object();  ///< without time and event
};

/// Appends events to ledger/WRITER.jsonl, one line a write, fsynced. One writer a file; not thread-safe.
class LedgerWriter {
 public:
  [[nodiscard]] static Expected<LedgerWriter> open(const RunFolder& folder, const std::string& writer);
  LedgerWriter(LedgerWriter&& other) noexcept;
  LedgerWriter& operator=(LedgerWriter&& other) noexcept;
  ~LedgerWriter();

  [[nodiscard]] Expected<void> append(std::string_view event, const nlohmann::json& fields);

 private:
  explicit LedgerWriter(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

/// All events of all writers, ordered by time (ties: by writer, then line). A torn last line is skipped.
[[nodiscard]] Expected<std::vector<LedgerEvent>> load_ledger(const RunFolder& folder);

/// ISO-8601 UTC with milliseconds, `2026-11-21T05:20:17.123Z`, and back.
[[nodiscard]] std::string render_time(std::chrono::system_clock::time_point time);
[[nodiscard]] Expected<std::chrono::system_clock::time_point> parse_time(std::string_view text);

}  // namespace ddp
