#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// A job as a line of `scontrol --oneliner show job` tells of it, in the words of Slurm. Times are as
/// SLURM_TIME_FORMAT has asked for them. Empty: the line does not tell.
struct ScontrolJob {
  std::string id = {}, array_id = {}, array_task_id = {};
  std::string state = {};  ///< RUNNING, COMPLETING, …
  std::string reason = {}, comment = {}, user = {}, name = {};
  std::string start = {}, end = {}, submitted = {}, preempted = {};  ///< times
  std::string exit_code = {};                                        ///< 73:0, with a signal behind the colon
  std::string excluded = {};                                         ///< nodes that it is kept from
  std::optional<bool> may_requeue = {};
  int restarts = 0;  ///< how often it was requeued; counts from the moment of the requeue
};

/// The first line of `text` that tells of a job; nullopt: none does.
[[nodiscard]] std::optional<ScontrolJob> parse_scontrol_job(std::string_view text);

/// A path of Slurm's with each percent sign once: in the answers of some versions it is doubled, as in the
/// script.
[[nodiscard]] std::string single_percent(std::string path);

/// The command that sets the start of the requeued `job` to two seconds from now. Without it Slurm holds the
/// job until its old credentials have expired: two minutes, unless cred_expire says otherwise. Nodes refuse
/// new credentials, and the job fails for good, only in the second of the requeue.
[[nodiscard]] std::vector<std::string> render_early_start(const std::string& job);

}  // namespace ddp
