#include "jobenv/agent/controller/restart_policy.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ddp::agent {
namespace {

/// Of the rank to blame; the others may be a step ahead or behind, as it happens.
std::optional<std::uint64_t> step_of_failure(const AttemptOutcome& failure) {
  return failure.cause->rank ? failure.cause->rank->last_step : last_step_of(failure);
}

/// How soon after its start a program ends that cannot begin: a typo, an import that is missing.
constexpr std::chrono::seconds kShort{30};

/// The rank to blame, if it ended by itself, soon after its start, with an exit code, and no rank has told a
/// step.
std::optional<ExitRecord> early_exit_of(const AttemptOutcome& failure) {
  const auto& rank = failure.cause->rank;
  if (!rank || !rank->code || rank->ended_by != EndedBy::itself) return std::nullopt;
  if (last_step_of(failure) || rank->ended - rank->started >= kShort) return std::nullopt;
  return rank;
}

/// Times, ports and process ids differ each time.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

/// Of ranks that have said nothing the number tells; where all ranks end like this, another one may be the
/// first each time, with the same last words.
bool are_alike(const std::optional<ExitRecord>& one, const std::optional<ExitRecord>& other) {
  if (!one || !other || one->code != other->code) return false;
  const auto words = without_digits(one->stderr_tail);
  if (words != without_digits(other->stderr_tail)) return false;
  return !words.empty() || one->rank == other->rank;
}

std::string render_count(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

RestartPolicy::Decision RestartPolicy::decide(const AttemptOutcome& failure, const std::string& message,
                                              std::optional<std::uint64_t> checkpoint) {
  const auto step = step_of_failure(failure);
  const bool progressed =
      program_ == ProgramKind::trainer ? checkpoint > last_checkpoint_ : step > furthest_step_;
  // A node that is lost time and again says nothing about the program.
  const bool stuck = !failure.cause->agent_lost && stands_still(step, checkpoint);
  const auto early_exit = early_exit_of(failure);
  const bool cannot_begin = program_ == ProgramKind::command && are_alike(early_exit, last_early_exit_);
  const auto words = render_cause(*failure.cause, program_);
  if (++failures_ == 1) first_failure_ = words;
  last_message_ = message;
  failures_without_progress_ = progressed ? 1 : failures_without_progress_ + 1;
  last_step_ = step;
  last_early_exit_ = early_exit;
  furthest_step_ = std::max(furthest_step_, step);
  last_checkpoint_ = std::max(last_checkpoint_, checkpoint);
  if (failure.cause->recurrence == Recurrence::certain)
    return {Next::end, ". Not restarted: another attempt would fail in the same way"};
  if (stuck) {
    const std::string where = step ? "at the same step" : "before the first step";
    const std::string checkpoints = program_ == ProgramKind::trainer ? ", with no newer checkpoint" : "";
    return end_because("the last two attempts failed " + where + checkpoints, words);
  }
  if (cannot_begin) {
    return end_because("the last two attempts failed in the same way, both within " +
                           std::to_string(kShort.count()) + " s of the start of the rank",
                       words);
  }
  if (failures_without_progress_ > max_restarts_) return end_because(render_used_up_restarts(), words);
  return {Next::restart};
}

bool RestartPolicy::stands_still(std::optional<std::uint64_t> step,
                                 std::optional<std::uint64_t> checkpoint) const {
  if (failures_ == 0 || step != last_step_) return false;
  return program_ == ProgramKind::trainer ? checkpoint <= last_checkpoint_ : step.has_value();
}

/// "4 attempts failed, the last 3 without a newer checkpoint (fault_tolerance.max_restarts is 2)"
std::string RestartPolicy::render_used_up_restarts() const {
  std::string text = std::to_string(failures_) + " attempts failed";
  if (failures_without_progress_ < failures_) {
    text += ", the last " + std::to_string(failures_without_progress_) + " without " +
            (program_ == ProgramKind::trainer ? "a newer checkpoint" : "a new step");
  }
  return text + " (fault_tolerance.max_restarts is " + std::to_string(max_restarts_) + ")";
}

/// With the first failure, where that was another one.
RestartPolicy::Decision RestartPolicy::end_because(const std::string& reason,
                                                   const std::string& failure) const {
  std::string remark = ". Not restarted: " + reason;
  if (first_failure_ != failure) remark += ". First failure: " + first_failure_;
  return {Next::end, std::move(remark)};
}

std::string RestartPolicy::render_last_failure() const {
  return failures_ == 0 ? "" : ". The attempt before failed: " + last_message_;
}

std::string RestartPolicy::render_restarts() const {
  return failures_ == 0 ? "" : ", " + render_count(failures_, "restart");
}

}  // namespace ddp::agent
