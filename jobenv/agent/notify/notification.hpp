#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "jobenv/record/events/events.hpp"
#include "jobenv/record/plan/notify_event.hpp"
#include "jobenv/record/run_state.hpp"

namespace ddp::agent {

/// What a notification says about the run, whatever has happened.
struct NotifiedRun {
  std::string run_id, name, run_dir, launcher;
  std::string job_id;  ///< of the scheduler; empty: none
  std::string host;    ///< of head
  std::string user;    ///< that head runs as
};

/// Something that has happened to a run, for the command under `notify`.
struct Notification {
  NotifyEvent event = NotifyEvent::ended;
  std::chrono::system_clock::time_point time = {};
  int attempt = 0;
  RunState state = RunState::running;              ///< of the run, now
  std::string message = {};                        ///< in words
  std::optional<int> exit_code = {};               ///< of head, once the run has ended
  std::optional<std::uint64_t> step = {};          ///< highest step that any rank has finished
  std::optional<std::uint64_t> steps = {};         ///< of the whole run
  std::optional<std::uint64_t> resumes_from = {};  ///< step of the checkpoint, before another attempt
  std::optional<Cause> cause = {};                 ///< first failure
};

/// The notification of an event of the ledger; nullopt: it has none. The steps are empty. Pure.
[[nodiscard]] std::optional<Notification> notification_of(const LedgerEvent& event);

/// Names and values of environment.secrets.
using Secrets = std::map<std::string, std::string>;

/// `text` with "[NAME]" in the place of each value of a secret, and of each line of such a value. What has
/// less than 4 bytes stays: it may be part of any word.
[[nodiscard]] std::string without_secrets(std::string text, const Secrets& secrets);

/// The JSON object of ddpsubmit.notification.v1, in one line with its end: valid UTF-8, no secret, and of the
/// output of a rank only the line that names the likely cause of its failure.
[[nodiscard]] std::string render_notification(const Notification& notification, const NotifiedRun& run,
                                              const Secrets& secrets);

}  // namespace ddp::agent
