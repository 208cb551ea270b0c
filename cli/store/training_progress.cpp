#include "cli/store/training_progress.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "jobenv/record/file_tail.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTail = 4096;  // a record has about 250 bytes

/// Without its end; a line that is being written does not count.
std::string_view last_whole_line(std::string_view text) {
  const auto end = text.rfind('\n');
  if (end == text.npos) return {};
  text = text.substr(0, end);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::optional<TrainingProgress> load_training_progress(const RunFolder& folder) {
  const auto tail = load_tail(folder.metrics(), kTail);
  const auto record = nlohmann::json::parse(last_whole_line(tail), nullptr, false);
  const auto is_integer = [&](const char* key) {
    return record.contains(key) && record[key].is_number_integer();
  };
  if (!is_integer("attempt") || !is_integer("step") || !is_integer("epoch")) return std::nullopt;
  TrainingProgress progress{.kind = {},
                            .attempt = record["attempt"],
                            .step = record["step"],
                            .epoch = record["epoch"],
                            .loss = {},
                            .accuracy = {}};
  if (record.contains("kind") && record["kind"].is_string()) progress.kind = record["kind"];
  if (record.contains("loss") && record["loss"].is_number()) progress.loss = record["loss"];
  if (record.contains("accuracy") && record["accuracy"].is_number()) progress.accuracy = record["accuracy"];
  return progress;
}

}  // namespace ddp::cli
