#include "cli/store/metrics/training_progress.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/lenient_fields.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTail = 4096;  // a record has about 250 bytes

/// The last line of `text`, without its end, and what stands before it.
std::string_view take_last_line(std::string_view& text) {
  const auto end = text.rfind('\n');
  const std::string_view whole = text.substr(0, end == text.npos ? 0 : end);
  const auto begin = whole.rfind('\n') + 1;  // 0 where there is no other line
  text = whole.substr(0, begin);
  return whole.substr(begin);
}

bool tells_of_training(const nlohmann::json& record) {
  if (!record.is_object()) return false;
  const auto kind = text_of(record, "kind");
  return kind != "first_step" && !kind.starts_with("checkpoint");
}

/// A line that is being written does not count, nor does one without a loss if there is another.
nlohmann::json last_record(std::string_view text) {
  const auto parse = [&] { return nlohmann::json::parse(take_last_line(text), nullptr, false); };
  nlohmann::json newest = parse();
  nlohmann::json record = newest;
  while (!tells_of_training(record) && !text.empty()) record = parse();
  return tells_of_training(record) ? record : newest;
}

}  // namespace

std::optional<TrainingProgress> load_training_progress(const RunFolder& folder) {
  const auto tail = load_tail(folder.metrics(), kTail);
  const auto record = last_record(tail);
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
