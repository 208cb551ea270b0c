#include "jobenv/agent/notify/failed_checkpoints.hpp"

#include <utility>

#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kLongestRecord = 1 << 20;

std::string metrics_file(const std::filesystem::path& run_dir) {
  return RunFolder(run_dir).metrics().filename();
}

}  // namespace

FailedCheckpoints::FailedCheckpoints(std::filesystem::path run_dir) : run_dir_(std::move(run_dir)) {
  std::error_code none;
  const auto size = std::filesystem::file_size(run_dir_ / metrics_file(run_dir_), none);
  if (!none) offset_ = size;
}

std::optional<MetricsRecord> FailedCheckpoints::look() {
  do {
    if (auto found = take_lines()) return found;
  } while (read_more());
  return std::nullopt;
}

std::optional<MetricsRecord> FailedCheckpoints::take_lines() {
  std::optional<MetricsRecord> found;
  std::size_t begin = 0;
  for (auto end = unread_.find('\n'); !found && end != std::string::npos; end = unread_.find('\n', begin)) {
    found = take_line(std::string_view(unread_).substr(begin, end - begin));
    begin = end + 1;
  }
  unread_.erase(0, begin);
  return found;
}

bool FailedCheckpoints::read_more() {
  if (unread_.size() > kLongestRecord) unread_.clear();  // its end, which follows, is no record either
  const auto piece = load_piece(run_dir_, metrics_file(run_dir_), offset_);
  offset_ += piece.bytes.size();
  unread_ += piece.bytes;
  return !piece.bytes.empty();
}

std::optional<MetricsRecord> FailedCheckpoints::take_line(std::string_view line) {
  const auto record = parse_metrics_record(line);
  if (!record) return std::nullopt;
  if (record->kind == metrics_kind::kCheckpoint) failing_ = false;
  if (record->kind != metrics_kind::kCheckpointFailed || std::exchange(failing_, true)) return std::nullopt;
  return record;
}

}  // namespace ddp::agent
