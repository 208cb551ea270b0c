#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ddp {

/// What the words mean that Slurm's programs print.
enum class SlurmSays {
  // Of any program
  no_configuration,  ///< the programs are here, but nobody has told them of a cluster
  silence,           ///< the controller was not heard
  no_such_job,
  no_accounts,  ///< nobody keeps any
  controller_is_up,
  // Of srun, in a line for each node where it has started nothing: the node stands behind the second
  launch_failed,
  launch_failed_on,
  // Of slurmstepd, in the output of a job that it ends: whose end, and why, unless somebody has cancelled it
  notice_of_job,
  notice_of_end,
  ends_for_preemption,
  ends_for_requeue,
  ends_for_lost_node,
  ends_at_time_limit,
  ends_by_signal,  ///< of scancel
  // Of sbatch, when it fails
  unknown_option,    ///< its name stands behind
  request_unsigned,  ///< the request was not even signed
  not_reached,       ///< as its last word; before it, they may be of a controller whose backup answered
  request_lost,      ///< something was sent, or may have been
  queue_is_full,
  waits_for_queue,  ///< it tries again by itself, as the queue is full
  account_limit,
  qos_limit,
  // Of the controller, when it has refused a job
  invalid_account,
  invalid_qos,
  against_policy,
  invalid_time_limit,
  no_time_limit,
  invalid_feature,
  invalid_node,
  node_not_in_partition,
  bad_reservation,
  reservation_denied,
  group_not_permitted,
  partition_down,
  dependency_problem,
  invalid_license,
  no_such_nodes,        ///< or those that there are take no jobs at present
  partition_too_small,  ///< or too many of its nodes take no jobs at present
  other_refusal,
};

struct SlurmWords {
  SlurmSays meaning;
  std::string_view words;
  std::string_view versions;  ///< of Slurm, whose words they are
};

/// All that are known. Where Slurm has changed its words, each version's are there.
[[nodiscard]] std::span<const SlurmWords> slurm_words();

/// Whether words of that meaning are anywhere in `text`.
[[nodiscard]] bool slurm_says(SlurmSays meaning, std::string_view text);

/// What stands in `text` behind the last words of that meaning; nullopt: there are none.
[[nodiscard]] std::optional<std::string_view> behind_slurm_words(SlurmSays meaning, std::string_view text);

/// The controller's verdict in a line of sbatch that gives one. Newer versions write more behind some of
/// them.
[[nodiscard]] std::optional<SlurmSays> slurm_verdict(std::string_view line);

}  // namespace ddp
