#include "cli/store/log_merge.hpp"

#include <algorithm>

namespace ddp::cli {

std::string_view to_string(LogStream stream) {
  return stream == LogStream::out ? "stdout" : "stderr";
}

std::vector<LogSpan> merge_logs(std::span<const LogSizes> points, LogSizes from, const LogSizes& to) {
  std::vector<LogSpan> spans;
  const auto go_to = [&spans](LogStream stream, std::uint64_t& here, std::uint64_t end) {
    if (end <= here) return;
    spans.push_back({stream, end});
    here = end;
  };
  const auto go_to_both = [&](const LogSizes& point) {
    go_to(LogStream::out, from.out, std::min(point.out, to.out));
    go_to(LogStream::err, from.err, std::min(point.err, to.err));
  };
  for (const auto& point : points) go_to_both(point);
  go_to_both(to);
  return spans;
}

}  // namespace ddp::cli
