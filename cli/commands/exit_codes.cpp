#include "cli/commands/exit_codes.hpp"

#include <array>

namespace ddp::cli {
namespace {

constexpr std::array kExitCodes = {
    ExitCodeRow{ExitCode::ok, "ok",
                "The command succeeded. For `run`, `rerun` and `wait`: the run succeeded."},
    ExitCodeRow{ExitCode::run_failed, "the run failed",
                "The run failed, or the answer could not be written."},
    ExitCodeRow{ExitCode::usage, "usage", "The command line is wrong. Nothing was done."},
    ExitCodeRow{ExitCode::config_invalid, "config invalid",
                "The configuration is not valid. Nothing was started."},
    ExitCodeRow{ExitCode::authentication, "login refused",
                "A host refused the login, or its host key is not known."},
    ExitCodeRow{ExitCode::not_found, "not found", "The run or the file does not exist."},
    ExitCodeRow{ExitCode::scheduler_refused, "refused by the scheduler", "The scheduler refused the job."},
    ExitCodeRow{
        ExitCode::outcome_unknown, "outcome unknown",
        "It is not known whether the run was started, or what state it is in. `ddpsubmit status` asks "
        "again. Do not submit the run again before the answer is known."},
    ExitCodeRow{ExitCode::still_running, "still running",
                "The run had not ended when the time limit of the command was over."},
    ExitCodeRow{
        ExitCode::no_valid_checkpoint, "checkpoint damaged",
        "A checkpoint is damaged. `ddptrain` ends with this code if no checkpoint is valid; the run then "
        "fails with 1."},
    ExitCodeRow{
        ExitCode::preflight_failed, "preflight failed",
        "A check before the start failed, or the scheduler could not be reached. Nothing was started."},
    ExitCodeRow{ExitCode::requeue, "",
                "The job asks its scheduler to be requeued. Only `ddp-agent head`, and so the job, ends with "
                "this code."},
    ExitCodeRow{ExitCode::interrupted, "interrupted", "The command was interrupted (SIGINT, Ctrl-C)."},
    ExitCodeRow{ExitCode::terminated, "terminated", "The command was terminated (SIGTERM)."},
};

}  // namespace

std::span<const ExitCodeRow> exit_codes() {
  return kExitCodes;
}

}  // namespace ddp::cli
