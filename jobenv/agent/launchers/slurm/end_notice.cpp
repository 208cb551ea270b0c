#include "jobenv/agent/launchers/slurm/end_notice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "jobenv/record/files/file_tail.hpp"

namespace ddp::agent {
namespace {

/// srun and set-up lines may have written as much after it.
constexpr std::uintmax_t kFarthest = 64 << 10;

std::uintmax_t size_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

/// `reason`: what stands between the time and the stars.
std::optional<EndNotice> interpret_reason(std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, EndNotice>, 4> kReasons = {{
      {" DUE TO PREEMPTION", EndNotice::preempted},
      {" DUE TO JOB REQUEUE", EndNotice::requeued},
      {" DUE TO NODE FAILURE", EndNotice::node_failed},
      {" DUE TO TIME LIMIT", EndNotice::time_limit},
  }};
  for (const auto& [words, notice] : kReasons) {
    if (reason.starts_with(words)) return notice;
  }
  // Newer versions name the signal.
  if (reason.starts_with(" ***") || reason.starts_with(" DUE to SIGNAL")) return EndNotice::cancelled;
  return std::nullopt;
}

}  // namespace

std::optional<EndNotice> parse_end_notice(std::string_view text) {
  constexpr std::string_view kJob = "*** JOB ";
  constexpr std::string_view kCancelled = " CANCELLED AT ";
  const std::size_t start = text.rfind(kJob);
  if (start == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(start);
  line = line.substr(0, line.find('\n'));
  const std::size_t cancelled = line.find(kCancelled);
  if (cancelled == std::string_view::npos) return std::nullopt;
  const std::string_view time = line.substr(cancelled + kCancelled.size());
  return interpret_reason(time.substr(std::min(time.find(' '), time.size())));
}

EndNoticeReader::EndNoticeReader(std::filesystem::path job_output)
    : path_(std::move(job_output)), begin_(size_of(path_)) {}

std::optional<EndNotice> EndNoticeReader::read() const {
  const std::uintmax_t size = size_of(path_);
  if (size <= begin_) return std::nullopt;
  return parse_end_notice(load_tail(path_, std::min(size - begin_, kFarthest)));
}

}  // namespace ddp::agent
