#include "cli/store/log_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace ddp::cli {
namespace {

// A longer line is handed on in pieces, so that a rank that never ends one cannot fill the memory.
constexpr std::size_t kLongestLine = 1 << 18;
// Of one stream, so that one rank that prints without end cannot keep the others from being read.
constexpr std::size_t kMostPerCall = 1 << 20;

}  // namespace

std::string_view to_string(LogStream stream) {
  return stream == LogStream::out ? "stdout" : "stderr";
}

LogReader::LogReader(RunFolder folder, Selection selection)
    : folder_(std::move(folder)), selection_(std::move(selection)) {
  begin_attempt(selection_.attempt);
}

void LogReader::begin_attempt(int attempt) {
  selection_.attempt = attempt;
  sources_.clear();
  for (const int rank : selection_.ranks) {
    for (const auto stream : selection_.streams) sources_.push_back({rank, stream});
  }
}

bool LogReader::next_attempt_began() const {
  if (selection_.attempts == Attempts::only) return false;
  std::error_code error;
  return std::filesystem::is_directory(folder_.logs(selection_.attempt + 1), error);
}

void LogReader::read_source(Source& source, std::vector<LogLine>& lines) {
  if (!source.file.is_open()) {
    const auto path = source.stream == LogStream::out ? folder_.out(selection_.attempt, source.rank)
                                                      : folder_.err(selection_.attempt, source.rank);
    source.file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.file.is_open()) return;
  }
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
  while (lines.empty() && next_attempt_began()) {  // nothing is written into the old one any more
    lines = take_unfinished();
    begin_attempt(selection_.attempt + 1);
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
