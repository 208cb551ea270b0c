#include "trainer/loop/report/tensorboard_sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "jobenv/record/files/regular_file.hpp"
#include "jobenv/record/run_folder.hpp"
#include "jobenv/record/tensorboard/events.hpp"
#include "jobenv/record/tensorboard/metrics_events.hpp"

namespace ddp::trainer {
namespace {

class TensorboardSink final : public MetricsSink {
 public:
  TensorboardSink(FileDescriptor file, off_t size) : file_(std::move(file)), size_(size) {}

  [[nodiscard]] std::string write(const MetricsRecord& record) override;

 private:
  FileDescriptor file_;
  off_t size_;                  // of what is whole
  bool begun_ = false;          // it has its version
  bool loses_records_ = false;  // which has been said
};

double seconds_of(const MetricsRecord& record) {
  return record.time ? tensorboard::seconds_of(*record.time) : 0;
}

/// The first step of an attempt tells which steps of earlier attempts it does again.
std::string events_of(const MetricsRecord& record) {
  if (record.kind == metrics_kind::kFirstStep)
    return tensorboard::render_restart(seconds_of(record), record.step);
  return tensorboard::render_metrics(record);
}

// A record that is not whole would end the file for TensorBoard: it is taken back.
std::string TensorboardSink::write(const MetricsRecord& record) {
  std::string events = events_of(record);
  if (events.empty()) return {};
  if (!begun_) events.insert(0, tensorboard::render_version(seconds_of(record)));
  const auto written = ::write(file_.get(), events.data(), events.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (written == std::ssize(events)) {
    size_ += written;
    begun_ = true;
    loses_records_ = false;
    return {};
  }
  if (written > 0) (void)!ftruncate(file_.get(), size_);
  if (std::exchange(loses_records_, true)) return {};
  return "records are missing from the files for TensorBoard: " + std::generic_category().message(error);
}

/// In the order of the attempts when they are sorted, as TensorBoard reads them.
std::filesystem::path path_of_events(const SinkPlace& place) {
  char name[64];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010d.ddptrain", place.attempt);
  return RunFolder(place.run_dir).tensorboard() / name;
}

FileDescriptor open_events(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (const auto earlier = open_regular_file(path); !earlier && !earlier.error().hint.empty())
    throw std::runtime_error(earlier.error().message + "; " + earlier.error().hint);
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file.is_open())
    throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
  return file;
}

}  // namespace

std::unique_ptr<MetricsSink> open_tensorboard_sink(const SinkPlace& place) {
  if (!place.tensorboard) return nullptr;
  FileDescriptor file = open_events(path_of_events(place));
  struct stat facts {};
  const off_t size = fstat(file.get(), &facts) == 0 ? facts.st_size : 0;
  return std::make_unique<TensorboardSink>(std::move(file), size);
}

}  // namespace ddp::trainer
