#include "jobenv/record/slurm_words.hpp"

#include <algorithm>
#include <array>

namespace ddp {
namespace {

using enum SlurmSays;

// Each measured, or read in Slurm's source, but for what a kernel says of a connection that could not be
// made.
constexpr std::string_view kAll = "22.05 to 26.05";
constexpr std::string_view kOld = "20.11 to 24.11";
constexpr std::string_view kNew = "26.05";
constexpr std::string_view kSince24 = "24.11 to 26.05";

constexpr auto kWords = std::to_array<SlurmWords>({
    {no_configuration, "resolve_ctls_from_dns_srv", kAll},
    {no_configuration, "configuration source", kAll},
    {no_configuration, "Unable to process configuration file", kAll},

    {silence, "Unable to contact", kAll},
    {silence, "timed out", kAll},

    {no_such_job, "Invalid job id", kAll},
    {no_accounts, "accounting storage is disabled", kAll},

    {controller_is_up, " is UP", kAll},

    {launch_failed, "Task launch for ", kAll},
    {launch_failed_on, " failed on node ", kAll},

    {notice_of_job, "*** JOB ", kAll},
    {notice_of_end, " CANCELLED AT ", kAll},
    {ends_for_preemption, " DUE TO PREEMPTION", kAll},
    {ends_for_requeue, " DUE TO JOB REQUEUE", kAll},
    {ends_for_lost_node, " DUE TO NODE FAILURE", kAll},
    {ends_at_time_limit, " DUE TO TIME LIMIT", kAll},
    {ends_by_signal, " DUE to SIGNAL", kSince24},

    {unknown_option, "unrecognized option '--", kAll},

    // What follows, "Protocol authentication error", can be about an answer, too.
    {request_unsigned, "auth_g_create: REQUEST_SUBMIT_BATCH_JOB", kAll},

    {not_reached, "(connect failure)", kAll},
    {not_reached, "Communication connection failure", kAll},
    {not_reached, "Connection refused", kAll},
    {not_reached, "No route to host", kAll},
    {not_reached, "Host is down", kAll},
    {not_reached, "Host is unreachable", kAll},
    {not_reached, "Network is unreachable", kAll},
    {not_reached, "Unable to process configuration file", kAll},
    {not_reached, "Could not establish a configuration source", kAll},
    {not_reached, "standby mode", kAll},
    {not_reached, "Rate limit exceeded", kAll},

    {request_lost, "timed out", kAll},
    {request_lost, "Zero Bytes were transmitted", kAll},
    {request_lost, "Connection reset", kAll},
    {request_lost, "Broken pipe", kAll},
    {request_lost, "Unexpected message received", kAll},
    {request_lost, "Unexpected missing socket", kAll},
    {request_lost, "Message send failure", kAll},
    {request_lost, "Message receive failure", kAll},
    {request_lost, "Communication shutdown failure", kAll},
    {request_lost, "(send failure)", kAll},
    {request_lost, "(receive failure)", kAll},
    {request_lost, "(shutdown failure)", kAll},
    {request_lost, "Insane message length", kAll},
    {request_lost, "Header lengths are longer than data received", kAll},
    {request_lost, "Protocol authentication error", kAll},

    {queue_is_full, "Resource temporarily unavailable", kOld},
    {queue_is_full, "MaxJobCount limit reached", kNew},
    {waits_for_queue, "temporarily unable to accept job", kOld},
    {waits_for_queue, "Slurm job queue full", kNew},

    {account_limit, "MaxSubmitJobLimit", kAll},
    {qos_limit, "MaxSubmitJobPerUserLimit", kAll},

    {invalid_account, "Invalid account or account/partition combination specified", kAll},
    {invalid_qos, "Invalid qos specification", kAll},
    {against_policy, "Job violates accounting/QOS policy", kAll},
    {invalid_time_limit, "Requested time limit is invalid", kAll},
    {no_time_limit, "Time limit specification required", kAll},
    {invalid_feature, "Invalid feature specification", kAll},
    {invalid_node, "Invalid node name specified", kAll},
    {node_not_in_partition, "Requested nodes not in this partition", kAll},
    {bad_reservation, "Requested reservation", kAll},
    {reservation_denied, "Access denied to requested reservation", kAll},
    {group_not_permitted, "User's group not permitted to use this partition", kAll},
    {partition_down, "Required partition not available", kAll},
    {dependency_problem, "Job dependency problem", kAll},
    {invalid_license, "Invalid license specification", kAll},
    {no_such_nodes, "Requested node configuration is not available", kAll},
    {partition_too_small, "Requested partition configuration not available now", kAll},

    {other_refusal, "Access/permission denied", kAll},
    {other_refusal, "Burst Buffer permission denied", kAll},
    {other_refusal, "Burst Buffer resource limit exceeded", kAll},
    {other_refusal, "CPU count specification invalid", kAll},
    {other_refusal, "Cannot request more threads per core", kAll},
    {other_refusal, "Container support is not configured", kAll},
    {other_refusal, "Duplicate generic resource (gres) specification", kAll},
    {other_refusal, "Insufficient GRES available in allocation", kAll},
    {other_refusal, "Invalid GRES specification", kAll},
    {other_refusal, "Invalid KNL configuration", kAll},
    {other_refusal, "Invalid Trackable RESource (TRES) specification", kAll},
    {other_refusal, "Invalid accounting frequency requested", kAll},
    {other_refusal, "Invalid cluster", kAll},
    {other_refusal, "Invalid generic resource (gres) specification", kAll},
    {other_refusal, "Invalid job array specification", kAll},
    {other_refusal, "Invalid partition name specified", kAll},
    {other_refusal, "Invalid preferred feature specification", kAll},
    {other_refusal, "Invalid time-min specification", kAll},
    {other_refusal, "Invalid wckey specification", kAll},
    {other_refusal, "Job --batch option is invalid", kAll},
    {other_refusal, "Job size specification needs to be provided", kAll},
    {other_refusal, "Memory required by task is not available", kAll},
    {other_refusal, "More processors requested than permitted", kAll},
    {other_refusal, "Multiple partition job request not supported", kAll},
    {other_refusal, "No partition specified or system default partition", kAll},
    {other_refusal, "Node count specification invalid", kAll},
    {other_refusal, "Pathname of a file, directory or other parameter too long", kAll},
    {other_refusal, "Requested GRES option unsupported", kAll},
    {other_refusal, "Requested more tasks than available processors", kAll},
    {other_refusal, "Requested operation is presently disabled", kAll},
    {other_refusal, "Task count specification invalid", kAll},
});

/// What stands between sbatch's name and the controller's words.
constexpr auto kBeforeVerdict =
    std::to_array<std::string_view>({"sbatch: error: Batch job submission failed: ", "allocation failure: "});

}  // namespace

std::span<const SlurmWords> slurm_words() {
  return kWords;
}

bool slurm_says(SlurmSays meaning, std::string_view text) {
  return std::ranges::any_of(kWords, [&](const SlurmWords& known) {
    return known.meaning == meaning && text.find(known.words) != text.npos;
  });
}

std::optional<std::string_view> behind_slurm_words(SlurmSays meaning, std::string_view text) {
  std::optional<std::string_view> behind;
  for (const SlurmWords& known : kWords) {
    const auto at = known.meaning == meaning ? text.rfind(known.words) : text.npos;
    if (at == text.npos) continue;
    const auto rest = text.substr(at + known.words.size());
    if (!behind || rest.size() < behind->size()) behind = rest;
  }
  return behind;
}

std::optional<SlurmSays> slurm_verdict(std::string_view line) {
  const auto before = std::ranges::find_if(
      kBeforeVerdict, [line](std::string_view words) { return line.starts_with(words); });
  if (before == kBeforeVerdict.end()) return std::nullopt;
  line.remove_prefix(before->size());
  const auto known = std::ranges::find_if(kWords, [line](const SlurmWords& row) {
    return row.meaning >= invalid_account && line.starts_with(row.words);
  });
  return known == kWords.end() ? std::nullopt : std::optional(known->meaning);
}

}  // namespace ddp
