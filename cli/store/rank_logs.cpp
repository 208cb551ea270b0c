#include "cli/store/rank_logs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

// Of one rank: one that prints without end keeps neither the others from being read nor signals from being
// served. More than the longest line, so that a call hands on something if there is something.
constexpr std::uint64_t kMostPerCall = 1 << 19;
/// By then the agent has looked at the logs, and has noted their order.
constexpr std::chrono::milliseconds kSettled{150};

struct LastLines {
  off_t begin = 0;
  std::uint64_t count = 0;
};

/// Where the last `lines` lines of a file begin; one that has no end yet is a line.
LastLines find_last_lines(int file, std::uint64_t lines) {
  std::array<char, 16384> buffer;
  off_t end = lseek(file, 0, SEEK_END);
  if (lines == 0 || end <= 0) return {std::max<off_t>(end, 0), 0};
  const off_t size = end;
  std::uint64_t ends_seen = 0;
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(buffer.size()));
    const ssize_t count = pread(file, buffer.data(), static_cast<std::size_t>(end - begin), begin);
    if (count <= 0) break;
    for (off_t at = begin + count; at-- > begin;) {
      const bool ends_last_line = at + 1 == size;
      if (buffer[static_cast<std::size_t>(at - begin)] == '\n' && !ends_last_line && ++ends_seen == lines)
        return {at + 1, lines};
    }
    end = begin;
  }
  return {0, ends_seen + 1};
}

/// With its end, or all.
std::string_view first_line_of(std::string_view bytes) {
  const auto end = bytes.find('\n');
  return end == bytes.npos ? bytes : bytes.substr(0, end + 1);
}

std::uint64_t size_of(const FileDescriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

RankLogs::RankLogs(const RunFolder& folder, int attempt, int rank, const std::vector<LogStream>& streams)
    : attempt_(attempt), rank_(rank), points_(folder.log_order(attempt, rank)) {
  for (const auto stream : {LogStream::err, LogStream::out}) {
    if (std::ranges::find(streams, stream) == streams.end()) continue;
    logs_.push_back(
        {.stream = stream,
         .path = stream == LogStream::out ? folder.out(attempt, rank) : folder.err(attempt, rank)});
  }
}

void RankLogs::skip_to_last(std::uint64_t lines) {
  refresh();
  std::uint64_t found = 0;
  for (auto& log : logs_) {
    if (!log.file.is_open()) continue;
    const auto last = find_last_lines(log.file.get(), lines);
    log.read = static_cast<std::uint64_t>(last.begin);
    found += last.count;
  }
  skipped_lines_ = found > lines ? found - lines : 0;
}

void RankLogs::read(Time now, std::vector<LogLine>& lines) {
  refresh();
  if (is_at_limit()) choose_limit(now);
  read_to_limit(Unfinished::kept, lines);
}

void RankLogs::read_rest(std::vector<LogLine>& lines) {
  const auto before = lines.size();
  refresh();
  growth_.reset();
  limit_ = sizes();
  while (lines.size() == before && !is_at_limit()) read_to_limit(Unfinished::taken, lines);
  if (!is_at_limit()) return;
  for (auto log = logs_.rbegin(); log != logs_.rend(); ++log) end_line(*log, Unfinished::taken, lines);
}

std::optional<LogLine> RankLogs::rewritten() const {
  for (const auto& log : logs_) {
    if (log.text.is_rewritten() && !log.text.is_empty())
      return LogLine{attempt_, rank_, log.stream, log.text.unfinished()};
  }
  return std::nullopt;
}

/// The size of stderr's log is looked at first: what is missed of stdout's is younger.
void RankLogs::refresh() {
  for (auto& log : logs_) {
    if (!log.file.is_open()) {
      if (auto file = open_regular_file(log.path)) log.file = std::move(file->descriptor);
    }
    if (log.file.is_open()) log.size = size_of(log.file);
  }
  if (logs_.size() > 1) points_.refresh();
}

/// Of a log that alone has grown the order is known.
void RankLogs::choose_limit(Time now) {
  const bool both_grew =
      logs_.size() > 1 && std::ranges::all_of(logs_, [](const Log& log) { return log.size > log.read; });
  if (!both_grew) {
    growth_.reset();
    limit_ = sizes();
  } else if (!growth_) {
    growth_ = {now, sizes()};
  } else if (now - growth_->seen >= kSettled) {
    limit_ = std::exchange(growth_, Growth{now, sizes()})->sizes;
  }
}

void RankLogs::read_to_limit(Unfinished unfinished, std::vector<LogLine>& lines) {
  budget_ = kMostPerCall;
  for (auto& log : logs_) end_line(log, unfinished, lines);
  points_.drop_before(read_so_far());
  const auto here = sizes();
  const LogSizes to{std::min(limit_.out, here.out), std::min(limit_.err, here.err)};
  for (const auto& span : merge_logs(points_.points(), read_so_far(), to)) {
    if (budget_ == 0) return;
    auto& log = log_of(span.stream);
    read_log(log, span.end, Until::end, lines);
    if (log.read >= span.end) end_line(log, unfinished, lines);
  }
}

/// A line stands where it began, however much the other log has grown before it ended.
void RankLogs::end_line(Log& log, Unfinished unfinished, std::vector<LogLine>& lines) {
  if (!log.text.is_empty()) read_log(log, log.size, Until::end_of_line, lines);
  const bool is_last = !log.text.is_empty() && log.read >= log.size;
  if (is_last && unfinished == Unfinished::taken) add(log, log.text.take(), lines);
}

void RankLogs::read_log(Log& log, std::uint64_t end, Until until, std::vector<LogLine>& lines) {
  std::array<char, 16384> buffer;
  std::vector<std::string> texts;
  while (log.read < end && budget_ > 0 && (until == Until::end || !log.text.is_empty())) {
    const auto wanted = std::min<std::uint64_t>({buffer.size(), end - log.read, budget_});
    const ssize_t count = pread(log.file.get(), buffer.data(), wanted, static_cast<off_t>(log.read));
    if (count <= 0) {
      log.size = log.read;  // it was cut off meanwhile
      return;
    }
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    if (until == Until::end_of_line) bytes = first_line_of(bytes);
    log.read += bytes.size();
    budget_ -= bytes.size();
    log.text.append(bytes, texts);
    for (auto& text : texts) add(log, std::move(text), lines);
    texts.clear();
  }
}

void RankLogs::add(const Log& log, std::string text, std::vector<LogLine>& lines) {
  if (skipped_lines_ > 0) {
    --skipped_lines_;
  } else {
    lines.push_back({attempt_, rank_, log.stream, std::move(text)});
  }
}

RankLogs::Log& RankLogs::log_of(LogStream stream) {
  return *std::ranges::find(logs_, stream, &Log::stream);
}

LogSizes RankLogs::sizes() const {
  LogSizes sizes;
  for (const auto& log : logs_) (log.stream == LogStream::out ? sizes.out : sizes.err) = log.size;
  return sizes;
}

LogSizes RankLogs::read_so_far() const {
  LogSizes read;
  for (const auto& log : logs_) (log.stream == LogStream::out ? read.out : read.err) = log.read;
  return read;
}

bool RankLogs::is_at_limit() const {
  return std::ranges::all_of(logs_, [this](const Log& log) {
    return log.read >= std::min(log.stream == LogStream::out ? limit_.out : limit_.err, log.size);
  });
}

}  // namespace ddp::cli
