#include "cli/store/log_reader.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

namespace ddp::cli {
namespace {

/// Of "attempt-N", a folder of logs.
std::optional<int> attempt_of(std::string_view name) {
  constexpr std::string_view kPrefix = "attempt-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int attempt = 0;
  const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), attempt);
  return error == std::errc{} && end == name.data() + name.size() ? std::optional(attempt) : std::nullopt;
}

}  // namespace

LogReader::LogReader(RunFolder folder, Selection selection)
    : folder_(std::move(folder)), selection_(std::move(selection)) {
  begin_attempt(selection_.attempt);
  if (!selection_.last_lines) return;
  for (auto& rank : ranks_) rank.skip_to_last(*selection_.last_lines);
}

void LogReader::begin_attempt(int attempt) {
  selection_.attempt = attempt;
  ranks_.clear();
  for (const int rank : selection_.ranks) ranks_.emplace_back(folder_, attempt, rank, selection_.streams);
}

/// The lowest one after the present one that has logs: an attempt may end before its ranks start.
std::optional<int> LogReader::next_attempt() const {
  if (selection_.attempts == Attempts::only) return std::nullopt;
  std::optional<int> next;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_.head_log().parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    const auto attempt = attempt_of(entry->path().filename().string());
    if (attempt > selection_.attempt && (!next || attempt < next)) next = attempt;
  }
  return next;
}

std::vector<LogLine> LogReader::take_lines(RankLogs::Time now) {
  std::vector<LogLine> lines;
  for (auto& rank : ranks_) rank.read(now, lines);
  // Nothing is written into the old one any more.
  for (auto next = next_attempt(); lines.empty() && next; next = next_attempt()) {
    lines = take_rest_of_attempt();
    if (!lines.empty()) return lines;
    begin_attempt(*next);
    for (auto& rank : ranks_) rank.read(now, lines);
  }
  return lines;
}

std::vector<LogLine> LogReader::take_rest() {
  auto lines = take_rest_of_attempt();
  for (auto next = next_attempt(); lines.empty() && next; next = next_attempt()) {
    begin_attempt(*next);
    lines = take_rest_of_attempt();
  }
  return lines;
}

std::vector<LogLine> LogReader::take_rest_of_attempt() {
  std::vector<LogLine> lines;
  for (auto& rank : ranks_) rank.read_rest(lines);
  return lines;
}

std::optional<LogLine> LogReader::rewritten() const {
  for (const auto& rank : ranks_) {
    if (auto line = rank.rewritten()) return line;
  }
  return std::nullopt;
}

}  // namespace ddp::cli
