#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/log_order.hpp"

namespace ddp::cli {

/// The points of a rank's log_order, read while they are written. There are none if the file is absent.
/// A line that is not a point is skipped, and so is one with smaller sizes than
/// the point before.
class LogPoints {
 public:
  explicit LogPoints(std::filesystem::path path) : path_(std::move(path)) {}

  /// Reads what has come.
  void refresh();
  /// Drops those that tell nothing of what is behind `read`.
  void drop_before(const LogSizes& read);
  [[nodiscard]] const std::vector<LogSizes>& points() const { return points_; }

 private:
  void take_line(std::string_view line);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::string unfinished_;
  LogSizes newest_;
  std::vector<LogSizes> points_;
};

}  // namespace ddp::cli
