#include "jobenv/agent/controller/first_failure.hpp"

#include <csignal>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/controller/place_text.hpp"

namespace ddp::agent {
namespace {

bool left_too_early(const ExitRecord& record, ProgramKind program) {
  return record.code == 0 && program == ProgramKind::trainer && record.phase != Phase::done;
}

bool lost_peer(const ExitRecord& record, const LaunchPlan& plan) {
  return record.code == kExitPeerLost && plan.program == ProgramKind::trainer;
}

/// The trainer says with some codes that it cannot do what it was asked for.
Recurrence recurrence_of(const ExitRecord& record, const LaunchPlan& plan) {
  if (plan.program != ProgramKind::trainer) return Recurrence::possible;
  for (const ExitCode code : {ExitCode::usage, ExitCode::config_invalid, ExitCode::no_valid_checkpoint}) {
    if (record.code == static_cast<int>(code)) return Recurrence::certain;
  }
  return Recurrence::possible;
}

/// By itself or through a shell, which turns a signal of its child into a code.
bool ended_by_signal(const ExitRecord& record, int signal) {
  return record.signal == signal || record.code == 128 + signal;
}

}  // namespace

RankVerdict judge_rank(const ExitRecord& record, const std::string& what, const LaunchPlan& plan) {
  if (!what.empty() || left_too_early(record, plan.program)) return RankVerdict::failure;
  if (record.succeeded()) return RankVerdict::success;
  if (record.ended_by == EndedBy::agent) return RankVerdict::killed;
  if (lost_peer(record, plan)) return RankVerdict::peer_lost;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    if (ended_by_signal(record, signal)) return RankVerdict::terminated;
  }
  return RankVerdict::failure;
}

Failure make_failure(const RankExited& message, const LaunchPlan& plan) {
  const ExitRecord& record = message.record;
  if (!message.what.empty())
    return {message.what, Phrase::statement, record.host, record, {}, message.recurrence, record.ended};
  std::string text = (record.signal ? "was killed by " : "ended with ") + describe_end(record);
  if (left_too_early(record, plan.program)) text = "ended with exit code 0 before the training was done";
  if (lost_peer(record, plan)) text = "lost the connection to another rank (" + describe_end(record) + ")";
  return {text, Phrase::predicate, record.host, record, {}, recurrence_of(record, plan), record.ended};
}

void FirstFailure::add(Weight weight, Failure cause) {
  auto& first = weight == Weight::real ? real_ : peer_lost_;
  if (!first) first = std::move(cause);
}

const Failure& FirstFailure::cause() const {
  return real_ ? *real_ : *peer_lost_;
}

std::string render_cause(const Failure& cause, ProgramKind program) {
  if (!cause.rank) return cause.what;
  const ExitRecord& rank = *cause.rank;
  const char* link = cause.phrase == Phrase::statement ? ": " : " ";
  const std::string text = "rank " + std::to_string(rank.rank) + " on " + cause.host + link + cause.what;
  const std::string before = cause.before.empty() ? "" : "; before that, " + cause.before;
  if (cause.phrase == Phrase::predicate_with_step) return text + before;
  const std::string place = render_end_place(rank.phase, rank.last_step, program);
  if (place.empty()) return text + before;
  return text + (left_too_early(rank, program) ? ", " : " ") + place + before;
}

std::string render_others(const Failure& cause, const OtherRanks& others) {
  std::string text;
  const std::string more = cause.rank ? " more" : "";
  if (others.failed > 0)
    text =
        "; " + std::to_string(others.failed) + more + (others.failed == 1 ? " rank failed" : " ranks failed");
  if (others.stopped == 0) return text;
  const std::string number = std::to_string(others.stopped);
  const std::string verb = others.stopped == 1 ? " was stopped" : " were stopped";
  if (!cause.rank) return text + "; " + number + (others.stopped == 1 ? " rank" : " ranks") + verb;
  if (others.stopped < others.count)
    return text + "; " + number + " of the other " + std::to_string(others.count) + " ranks" + verb;
  return text + "; the other " + (others.count == 1 ? "rank" : number + " ranks") + verb;
}

}  // namespace ddp::agent
