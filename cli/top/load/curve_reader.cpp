#include "cli/top/load/curve_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "jobenv/record/files/regular_file.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

constexpr off_t kCurveBytes = 1 << 20;              // some thousand records
constexpr std::size_t kLongestCurveLine = 1 << 16;  // of a longer one nothing is taken
constexpr std::size_t kMostPoints = 20'000;
constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TrainingCurve CurveReader::look() {
  if (!file_.is_open()) open_metrics();
  std::array<char, 16384> buffer;
  for (ssize_t count = 0; file_.is_open() && (count = read(file_.get(), buffer.data(), buffer.size())) > 0;)
    take({buffer.data(), static_cast<std::size_t>(count)});
  TrainingCurve curve;
  for (const auto& point : points_) {
    curve.loss.push_back(point.loss);
    curve.samples_per_second.push_back(point.samples_per_second);
  }
  return curve;
}

void CurveReader::open_metrics() {
  auto file = open_regular_file(folder_.metrics());
  if (!file) return;
  file_ = std::move(file->descriptor);
  const off_t begin = std::max<off_t>(0, lseek(file_.get(), 0, SEEK_END) - kCurveBytes);
  lseek(file_.get(), begin, SEEK_SET);
  in_cut_line_ = begin > 0;
}

void CurveReader::take(std::string_view text) {
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    unfinished_ += text.substr(0, end);
    if (!std::exchange(in_cut_line_, false)) take_line(unfinished_);
    unfinished_.clear();
    text.remove_prefix(end + 1);
  }
  unfinished_ += text;
  if (unfinished_.size() <= kLongestCurveLine) return;
  unfinished_.clear();
  in_cut_line_ = true;
}

void CurveReader::take_line(std::string_view line) {
  const auto kind = kind_of_line(line);
  if (!kind.empty() && kind != metrics_kind::kTrain) return;
  const auto record = parse_metrics_record(line);
  if (!record || record->kind != metrics_kind::kTrain) return;
  if (!points_.empty() && record->attempt < points_.back().attempt) return;
  while (!points_.empty() && points_.back().attempt < record->attempt && points_.back().step >= record->step)
    points_.pop_back();
  points_.push_back({record->attempt, record->step, record->loss.value_or(kNotTold),
                     record->samples_per_second.value_or(kNotTold)});
  if (points_.size() > kMostPoints) points_.erase(points_.begin(), points_.begin() + kMostPoints / 2);
}

}  // namespace ddp::cli
