#include "cli/launchers/slurm/submission/sbatch_answer.hpp"
#include "jobenv/record/files/file_tail.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace ddp::cli {
namespace {

// What sbatch of Slurm 22.05 to 26.05 says when its request cannot have been taken, each measured or read in
// its source, but for what a kernel says of a connection that could not be made.

/// The request was not even signed; what follows, "Protocol authentication error", can be about an answer,
/// too.
constexpr auto kUnsigned = std::to_array<std::string_view>({"auth_g_create: REQUEST_SUBMIT_BATCH_JOB"});

/// As the last word of sbatch; before it, they may be of a controller whose backup answered.
constexpr auto kNotReached = std::to_array<std::string_view>(
    {"(connect failure)", "Communication connection failure", "Connection refused", "No route to host",
     "Host is down", "Host is unreachable", "Network is unreachable", "Unable to process configuration file",
     "Could not establish a configuration source", "standby mode", "Rate limit exceeded"});

/// Something was sent, or may have been.
constexpr auto kLost = std::to_array<std::string_view>(
    {"timed out", "Zero Bytes were transmitted", "Connection reset", "Broken pipe",
     "Unexpected message received", "Unexpected missing socket", "Message send failure",
     "Message receive failure", "Communication shutdown failure", "(send failure)", "(receive failure)",
     "(shutdown failure)", "Insane message length", "Header lengths are longer than data received",
     "Protocol authentication error"});

/// What stands between sbatch's name and the controller's words.
constexpr auto kVerdicts =
    std::to_array<std::string_view>({"sbatch: error: Batch job submission failed: ", "allocation failure: "});

/// The controller's own words for "there is no job". Behind them no request counts as lost, whatever sbatch
/// said before. Newer versions write more behind some of them.
constexpr auto kRefusals =
    std::to_array<std::string_view>({"Access denied to requested reservation",
                                     "Access/permission denied",
                                     "Burst Buffer permission denied",
                                     "Burst Buffer resource limit exceeded",
                                     "CPU count specification invalid",
                                     "Cannot request more threads per core",
                                     "Container support is not configured",
                                     "Duplicate generic resource (gres) specification",
                                     "Insufficient GRES available in allocation",
                                     "Invalid GRES specification",
                                     "Invalid KNL configuration",
                                     "Invalid Trackable RESource (TRES) specification",
                                     "Invalid account or account/partition combination specified",
                                     "Invalid accounting frequency requested",
                                     "Invalid cluster",
                                     "Invalid feature specification",
                                     "Invalid generic resource (gres) specification",
                                     "Invalid job array specification",
                                     "Invalid license specification",
                                     "Invalid node name specified",
                                     "Invalid partition name specified",
                                     "Invalid preferred feature specification",
                                     "Invalid qos specification",
                                     "Invalid time-min specification",
                                     "Invalid wckey specification",
                                     "Job --batch option is invalid",
                                     "Job dependency problem",
                                     "Job size specification needs to be provided",
                                     "Job violates accounting/QOS policy",
                                     "Memory required by task is not available",
                                     "More processors requested than permitted",
                                     "Multiple partition job request not supported",
                                     "No partition specified or system default partition",
                                     "Node count specification invalid",
                                     "Pathname of a file, directory or other parameter too long",
                                     "Requested GRES option unsupported",
                                     "Requested more tasks than available processors",
                                     "Requested node configuration is not available",
                                     "Requested nodes not in this partition",
                                     "Requested operation is presently disabled",
                                     "Requested partition configuration not available now",
                                     "Requested reservation",
                                     "Requested time limit is invalid",
                                     "Required partition not available",
                                     "Task count specification invalid",
                                     "User's group not permitted to use this partition"});

// Of an option or a directive that sbatch cannot read; whatever the controller says gives 1.
constexpr int kOptionError = 255;

constexpr std::string_view kQueueIsFull = "temporarily unable to accept job";

bool holds_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(
      phrases, [text](std::string_view words) { return text.find(words) != std::string_view::npos; });
}

/// Not what a plugin had to say in lines of its own.
bool is_own_line(std::string_view line) {
  return line.starts_with("sbatch: error: ") || line.starts_with("slurm_") ||
         line.starts_with("allocation failure: ");
}

bool tells_a_loss(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (is_own_line(line) && holds_any(line, kLost)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool is_refusal(std::string_view line) {
  const auto verdict =
      std::ranges::find_if(kVerdicts, [line](std::string_view before) { return line.starts_with(before); });
  if (verdict == kVerdicts.end()) return false;
  line.remove_prefix(verdict->size());
  return std::ranges::any_of(kRefusals, [line](std::string_view words) { return line.starts_with(words); });
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
  if (is_refusal(verdict)) return SubmitFailure::refused;
  if (holds_any(sbatch_stderr, kUnsigned)) return SubmitFailure::not_queued;
  if (tells_a_loss(sbatch_stderr)) return SubmitFailure::lost;
  return holds_any(verdict, kNotReached) ? SubmitFailure::not_queued : SubmitFailure::refused;
}

bool says_queue_is_full(std::string_view sbatch_stderr) {
  return sbatch_stderr.find(kQueueIsFull) != std::string_view::npos;
}

bool says_queue_stayed_full(std::string_view sbatch_stderr) {
  return says_queue_is_full(sbatch_stderr) &&
         last_line(sbatch_stderr).ends_with("Resource temporarily unavailable");
}

}  // namespace ddp::cli
