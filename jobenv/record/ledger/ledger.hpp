#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/fields/timestamp.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// Appends events to ledger/WRITER.jsonl, one line a write. One writer a file; not thread-safe.
/// Opening a file that an earlier writer left with a torn last line (a crash, a full disk) cuts that line
/// off.
class LedgerWriter {
 public:
  /// `naming`: how far the name of a new file has to be safe.
  [[nodiscard]] static Expected<LedgerWriter> open(const RunFolder& folder, const std::string& writer,
                                                   Durability naming = Durability::synced);

  /// `fields` is an object without "time" and "event". Bytes that are not UTF-8 are written as U+FFFD. Times
  /// never go back, even if the clock does, and are later than all that the ledger held when the writer was
  /// opened, whatever the clocks of other hosts say. After an error nothing of the event is in the file.
  /// `visible` is for what can be found out again after a crash of the machine, or is synced later.
  [[nodiscard]] Expected<void> append(std::string_view event, const nlohmann::json& fields,
                                      Durability durability = Durability::synced);
  template <class Event>
  requires requires { Event::kName; }
  [[nodiscard]] Expected<void> append(const Event& event, Durability durability = Durability::synced) {
    return append(Event::kName, fields_of(event), durability);
  }
  /// All that was appended.
  [[nodiscard]] Expected<void> sync();

 private:
  LedgerWriter(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  std::chrono::system_clock::time_point last_;
};

/// All events of all writers, and for a point of a sweep what the ledger of the sweep tells of it, ordered by
/// time (ties: by writer, then line), however large the files are. A last line without its end is not yet
/// written, or torn, and skipped; in the place of all else that cannot be read stands event::DamagedLines.
/// The error is that of a folder that cannot be listed.
[[nodiscard]] Expected<std::vector<LedgerEvent>> load_ledger(const RunFolder& folder,
                                                             RankEvents ranks = RankEvents::load);

}  // namespace ddp
