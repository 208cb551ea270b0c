#include "cli/launch/slurm/sbatch_answer.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace ddp::cli {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What sbatch of Slurm 22.05 to 26.05 says when its request cannot have been taken, each measured or read in
// its source, but for what a kernel says of a connection that could not be made.

/// The request was not even signed; what follows, "Protocol authentication error", can be about an answer,
/// too.
constexpr std::array<std::string_view, 1> kUnsigned{"auth_g_create: REQUEST_SUBMIT_BATCH_JOB"};

/// As the last word of sbatch; before it, they may be of a controller whose backup answered.
constexpr std::array<std::string_view, 11> kNotReached{"(connect failure)",
                                                       "Communication connection failure",
                                                       "Connection refused",
                                                       "No route to host",
                                                       "Host is down",
                                                       "Host is unreachable",
                                                       "Network is unreachable",
                                                       "Unable to process configuration file",
                                                       "Could not establish a configuration source",
                                                       "standby mode",
                                                       "Rate limit exceeded"};

/// Something was sent, or may have been.
constexpr std::array<std::string_view, 16> kLost{"timed out",
                                                 "Zero Bytes were transmitted",
                                                 "Connection reset",
                                                 "Broken pipe",
                                                 "Unexpected message received",
                                                 "Unexpected missing socket",
                                                 "Message send failure",
                                                 "Message receive failure",
                                                 "Communication shutdown failure",
                                                 "(send failure)",
                                                 "(receive failure)",
                                                 "(shutdown failure)",
                                                 "Insane message length",
                                                 "Header lengths are longer than data received",
                                                 "Protocol authentication error",
                                                 "submission failed: Resource temporarily unavailable"};

bool holds_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(
      phrases, [text](std::string_view words) { return text.find(words) != std::string_view::npos; });
}

std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

}  // namespace

std::optional<SbatchAnswer> parse_sbatch_answer(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto separator = text.find(';');
  const auto id = text.substr(0, separator);
  const auto cluster = separator == std::string_view::npos ? std::string_view() : text.substr(separator + 1);
  const bool clean =
      std::ranges::none_of(cluster, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == ';'; });
  const bool has_cluster = separator != std::string_view::npos;
  if (!is_number(id) || !clean || has_cluster == cluster.empty()) return std::nullopt;
  return SbatchAnswer{std::string(id), std::string(cluster)};
}

SubmitFailure classify_submit_failure(std::string_view sbatch_stderr) {
  if (holds_any(sbatch_stderr, kUnsigned)) return SubmitFailure::not_queued;
  if (holds_any(sbatch_stderr, kLost)) return SubmitFailure::unknown;
  if (holds_any(last_line(sbatch_stderr), kNotReached)) return SubmitFailure::not_queued;
  return SubmitFailure::refused;
}

}  // namespace ddp::cli
