#include "cli/store/log_points.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestPoint = 128;

}  // namespace

void LogPoints::refresh() {
  if (!file_.is_open()) {
    if (auto file = open_regular_file(path_)) file_ = std::move(file->descriptor);
  }
  if (!file_.is_open()) return;
  std::array<char, 16384> buffer;
  for (ssize_t count = 0; (count = read(file_.get(), buffer.data(), buffer.size())) > 0;) {
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
      unfinished_ += bytes.substr(0, end);
      take_line(unfinished_);
      unfinished_.clear();
      bytes.remove_prefix(end + 1);
    }
    if (unfinished_.size() < kLongestPoint) unfinished_ += bytes;
  }
}

void LogPoints::take_line(std::string_view line) {
  const auto point = parse_log_point(line);
  if (!point || point->out < newest_.out || point->err < newest_.err) return;
  newest_ = *point;
  points_.push_back(newest_);
}

void LogPoints::drop_before(const LogSizes& read) {
  const auto tells = [&read](const LogSizes& point) { return point.out > read.out || point.err > read.err; };
  points_.erase(points_.begin(), std::ranges::find_if(points_, tells));
}

}  // namespace ddp::cli
