#include "cli/store/training_progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "jobenv/record/file_descriptor.hpp"

namespace ddp::cli {
namespace {

constexpr off_t kTail = 4096;  // a record has about 250 bytes

std::string read_tail(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const off_t size = lseek(file.get(), 0, SEEK_END);
  std::array<char, kTail> buffer;
  const ssize_t count = pread(file.get(), buffer.data(), buffer.size(), std::max<off_t>(size - kTail, 0));
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

/// Without its end; a line that is being written does not count.
std::string_view last_whole_line(std::string_view text) {
  const auto end = text.rfind('\n');
  if (end == text.npos) return {};
  text = text.substr(0, end);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::optional<TrainingProgress> load_training_progress(const RunFolder& folder, int attempt) {
  const auto tail = read_tail(folder.metrics());
  const auto record = nlohmann::json::parse(last_whole_line(tail), nullptr, false);
  const auto is_integer = [&](const char* key) {
    return record.contains(key) && record[key].is_number_integer();
  };
  if (!is_integer("attempt") || record["attempt"] != attempt || !is_integer("step") || !is_integer("epoch"))
    return std::nullopt;
  TrainingProgress progress{.kind = {}, .step = record["step"], .epoch = record["epoch"], .loss = {}};
  if (record.contains("kind") && record["kind"].is_string()) progress.kind = record["kind"];
  if (record.contains("loss") && record["loss"].is_number()) progress.loss = record["loss"];
  return progress;
}

}  // namespace ddp::cli
