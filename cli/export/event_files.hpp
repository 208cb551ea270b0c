#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/export/run_export.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// What TensorBoard reads of one run.
struct EventFile {
  std::string folder;  ///< relative: the run id, of a point RUN_ID/K
  std::string bytes;
};

/// One of each run that has metrics. `sweep`: its run id, for a file of its own that tells the HParams tab
/// what the points are; empty: no sweep.
[[nodiscard]] std::vector<EventFile> render_event_files(const std::string& sweep,
                                                        std::span<const RunExport> exports);

/// Writes them into `folder`. Each replaces what was exported there before, and nothing else. The new file
/// has another name than the old one, so that a TensorBoard that is running reads it.
[[nodiscard]] Expected<void> save_event_files(const std::filesystem::path& folder,
                                              std::span<const EventFile> files,
                                              std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
