#pragma once

#include <string>
#include <vector>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// "Run train-1 succeeded in 3 min 20 s, after 2 restarts", "Run train-1 failed after 2 min": a short line.
[[nodiscard]] std::string render_headline(const KnownRun& run, std::chrono::system_clock::time_point now);
/// What there is to say besides, in one line: why it ended, or how far it is.
[[nodiscard]] std::string render_story(const KnownRun& run);

/// A number that stands at the top of the page.
struct KeyNumber {
  std::string label;
  std::string value;
  std::string note = {};
};

/// Those that are known.
[[nodiscard]] std::vector<KeyNumber> key_numbers_of(const ReportedRun& run,
                                                    std::chrono::system_clock::time_point now);

/// "0.0421"; empty: no record has it.
[[nodiscard]] std::string render_last(const ReportedRun& run, std::string_view kind, std::string_view metric);
/// Samples per second, as a mean of all records; empty: not known.
[[nodiscard]] std::string render_throughput(const ReportedRun& run);

}  // namespace ddp::cli
