#include "jobenv/agent/launchers/slurm/end_notice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "jobenv/record/slurm_words.hpp"

namespace ddp::agent {
namespace {

/// srun and set-up lines may have written as much after it.
constexpr std::uintmax_t kFarthest = 64 << 10;

/// `reason`: what stands between the time and the stars.
std::optional<EndNotice> interpret_reason(std::string_view reason) {
  constexpr std::array<std::pair<SlurmSays, EndNotice>, 5> kReasons = {{
      {SlurmSays::ends_for_preemption, EndNotice::preempted},
      {SlurmSays::ends_for_requeue, EndNotice::requeued},
      {SlurmSays::ends_for_lost_node, EndNotice::node_failed},
      {SlurmSays::ends_at_time_limit, EndNotice::time_limit},
      {SlurmSays::ends_by_signal, EndNotice::cancelled},
  }};
  for (const auto& [words, notice] : kReasons) {
    if (slurm_says(words, reason)) return notice;
  }
  return reason.starts_with(" ***") ? std::optional(EndNotice::cancelled) : std::nullopt;
}

}  // namespace

std::optional<EndNotice> parse_end_notice(std::string_view text) {
  const auto job = behind_slurm_words(SlurmSays::notice_of_job, text);
  if (!job) return std::nullopt;
  const auto time = behind_slurm_words(SlurmSays::notice_of_end, job->substr(0, job->find('\n')));
  if (!time) return std::nullopt;
  return interpret_reason(time->substr(std::min(time->find(' '), time->size())));
}

std::optional<EndNotice> EndNoticeReader::read() const {
  return output_ ? parse_end_notice(output_->load(kFarthest)) : std::nullopt;
}

}  // namespace ddp::agent
