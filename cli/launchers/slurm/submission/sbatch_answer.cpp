#include "cli/launchers/slurm/submission/sbatch_answer.hpp"

#include <algorithm>

#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {
namespace {

// Of an option or a directive that sbatch cannot read; whatever the controller says gives 1.
constexpr int kOptionError = 255;

/// Not what a plugin had to say in lines of its own.
bool is_own_line(std::string_view line) {
  return line.starts_with("sbatch: error: ") || line.starts_with("slurm_") ||
         line.starts_with("allocation failure: ");
}

bool tells_a_loss(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (is_own_line(line) && slurm_says(SlurmSays::request_lost, line)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

bool is_job_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<SbatchAnswer> parse_sbatch_answer(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto separator = text.find(';');
  const auto id = text.substr(0, separator);
  const auto cluster = separator == std::string_view::npos ? std::string_view() : text.substr(separator + 1);
  const bool clean =
      std::ranges::none_of(cluster, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == ';'; });
  const bool has_cluster = separator != std::string_view::npos;
  if (!is_job_number(id) || !clean || has_cluster == cluster.empty()) return std::nullopt;
  return SbatchAnswer{std::string(id), std::string(cluster)};
}

SubmitFailure classify_submit_failure(int code, std::string_view sbatch_stderr) {
  if (code == kOptionError) return SubmitFailure::refused;
  const auto verdict = last_line(sbatch_stderr);
  if (slurm_verdict(verdict)) return SubmitFailure::refused;
  if (slurm_says(SlurmSays::request_unsigned, sbatch_stderr)) return SubmitFailure::not_queued;
  if (tells_a_loss(sbatch_stderr)) return SubmitFailure::lost;
  return slurm_says(SlurmSays::not_reached, verdict) ? SubmitFailure::not_queued : SubmitFailure::refused;
}

bool says_queue_is_full(std::string_view sbatch_stderr) {
  return slurm_says(SlurmSays::waits_for_queue, sbatch_stderr);
}

bool says_queue_stayed_full(std::string_view sbatch_stderr) {
  return says_queue_is_full(sbatch_stderr) && slurm_says(SlurmSays::queue_is_full, last_line(sbatch_stderr));
}

}  // namespace ddp::cli
