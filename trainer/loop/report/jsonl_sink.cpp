#include "trainer/loop/report/jsonl_sink.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "jobenv/record/files/regular_file.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::trainer {
namespace {

class JsonlSink final : public MetricsSink {
 public:
  explicit JsonlSink(FileDescriptor file) : file_(std::move(file)) {}

  [[nodiscard]] std::string write(const MetricsRecord& record) override;

 private:
  FileDescriptor file_;
  bool torn_ = false;           // its last line has no end
  bool loses_records_ = false;  // which has been said
};

// One write a record: a reader sees whole lines, and what another attempt appends does not mix with them.
// When a full disk has room again, records are written on, on a line of their own.
std::string JsonlSink::write(const MetricsRecord& record) {
  const std::string line = (torn_ ? "\n" : "") + render_metrics_record(record) + '\n';
  const auto written = ::write(file_.get(), line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (written == std::ssize(line)) {
    torn_ = false;
    loses_records_ = false;
    return {};
  }
  torn_ = torn_ || written > 0;
  if (std::exchange(loses_records_, true)) return {};
  return "records are missing from metrics.jsonl: " + std::generic_category().message(error);
}

}  // namespace

std::unique_ptr<MetricsSink> open_jsonl_sink(const std::filesystem::path& run_dir) {
  const auto path = RunFolder(run_dir).metrics();
  if (const auto earlier = open_regular_file(path); !earlier && !earlier.error().hint.empty())
    throw std::runtime_error(earlier.error().message + "; " + earlier.error().hint);
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file.is_open())
    throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
  return std::make_unique<JsonlSink>(std::move(file));
}

}  // namespace ddp::trainer
