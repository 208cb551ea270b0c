#include "cli/store/log_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

// A longer line is handed on in pieces, so that a rank that never ends one cannot fill the memory.
constexpr std::size_t kLongestLine = 1 << 18;
// Of one stream, so that one rank that prints without end cannot keep the others from being read.
constexpr std::size_t kMostPerCall = 1 << 20;

/// Of "attempt-N", a folder of logs.
std::optional<int> attempt_of(std::string_view name) {
  constexpr std::string_view kPrefix = "attempt-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int attempt = 0;
  const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), attempt);
  return error == std::errc{} && end == name.data() + name.size() ? std::optional(attempt) : std::nullopt;
}

/// Where the last `lines` lines of a file begin; one that has no end yet is a line.
off_t find_last_lines(int file, std::uint64_t lines) {
  std::array<char, 65536> buffer;
  off_t end = lseek(file, 0, SEEK_END);
  if (lines == 0) return end;
  const off_t size = end;
  std::uint64_t ends_seen = 0;
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(buffer.size()));
    const ssize_t count = pread(file, buffer.data(), static_cast<std::size_t>(end - begin), begin);
    if (count <= 0) return 0;
    for (off_t at = begin + count; at-- > begin;) {
      const bool ends_last_line = at + 1 == size;
      if (buffer[static_cast<std::size_t>(at - begin)] == '\n' && !ends_last_line && ++ends_seen == lines)
        return at + 1;
    }
    end = begin;
  }
  return 0;
}

}  // namespace

std::string_view to_string(LogStream stream) {
  return stream == LogStream::out ? "stdout" : "stderr";
}

LogReader::LogReader(RunFolder folder, Selection selection)
    : folder_(std::move(folder)), selection_(std::move(selection)) {
  begin_attempt(selection_.attempt);
  if (!selection_.last_lines) return;
  for (auto& source : sources_) {
    open_source(source);
    if (!source.file.is_open()) continue;
    const int file = source.file.get();
    lseek(file, find_last_lines(file, *selection_.last_lines), SEEK_SET);
  }
}

void LogReader::begin_attempt(int attempt) {
  selection_.attempt = attempt;
  sources_.clear();
  for (const int rank : selection_.ranks) {
    for (const auto stream : selection_.streams) sources_.push_back({rank, stream});
  }
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

void LogReader::open_source(Source& source) const {
  const auto path = source.stream == LogStream::out ? folder_.out(selection_.attempt, source.rank)
                                                    : folder_.err(selection_.attempt, source.rank);
  if (auto file = open_regular_file(path)) source.file = std::move(file->descriptor);
}

void LogReader::read_source(Source& source, std::vector<LogLine>& lines) {
  if (!source.file.is_open()) open_source(source);
  if (!source.file.is_open()) return;
  std::array<char, 65536> buffer;
  std::size_t taken = 0;
  for (ssize_t count = 0;
       taken < kMostPerCall && (count = read(source.file.get(), buffer.data(), buffer.size())) > 0;) {
    taken += static_cast<std::size_t>(count);
    source.unfinished.append(buffer.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (auto end = source.unfinished.find('\n'); end != std::string::npos;
         end = source.unfinished.find('\n', begin)) {
      lines.push_back(
          {selection_.attempt, source.rank, source.stream, source.unfinished.substr(begin, end - begin)});
      begin = end + 1;
    }
    source.unfinished.erase(0, begin);
    if (source.unfinished.size() > kLongestLine) {
      lines.push_back({selection_.attempt, source.rank, source.stream, std::move(source.unfinished)});
      source.unfinished.clear();
    }
  }
}

void LogReader::read_all(std::vector<LogLine>& lines) {
  for (auto& source : sources_) read_source(source, lines);
}

std::vector<LogLine> LogReader::take_lines() {
  std::vector<LogLine> lines;
  read_all(lines);
  // Nothing is written into the old one any more.
  for (auto next = next_attempt(); lines.empty() && next; next = next_attempt()) {
    read_all(lines);
    if (!lines.empty()) return lines;  // what was written after the first look
    lines = take_unfinished();
    begin_attempt(*next);
    read_all(lines);
    read_all(lines);
  }
  return lines;
}

std::vector<LogLine> LogReader::take_unfinished() {
  std::vector<LogLine> lines;
  for (auto& source : sources_) {
    if (source.unfinished.empty()) continue;
    lines.push_back({selection_.attempt, source.rank, source.stream, std::move(source.unfinished)});
    source.unfinished.clear();
  }
  return lines;
}

}  // namespace ddp::cli
