#include "jobenv/agent/head/head_records.hpp"

#include <unistd.h>

#include "jobenv/agent/connection/nonce.hpp"
#include "jobenv/agent/head/lost_attempt.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/process_identity.hpp"

namespace ddp::agent {

Expected<void> HeadRecords::claim(const SchedulerJob& job, EventLoop& loop) {
  job_id_ = job.control_id;
  restart_count_ = job.restart_count;
  auto nonce = make_nonce();
  if (!nonce) return tl::unexpected(nonce.error());
  const auto number = folder_.claim_attempt(*nonce, job_id_, restart_count_);
  if (!number) return tl::unexpected(number.error());
  attempt_ = *number;
  nonce_ = std::move(*nonce);
  return open_ledger(loop);
}

void HeadRecords::tell_start(const SchedulerJob& job, const std::string& host, const std::string& token,
                             std::uint64_t resumes_after) {
  const int pid = getpid();
  write(event::HeadStarted{.host = host,
                           .pid = pid,
                           .pid_start = load_process_start(pid).value_or(0),
                           .boot_id = load_boot_id(),
                           .job_id = job_id_,
                           .cluster = job.cluster,
                           .token = token,
                           .restart_count = restart_count_,
                           .resumes_from = resumes_after > 0 ? event::Step(resumes_after) : std::nullopt});
}

void HeadRecords::tell_of_lost_attempt(const std::vector<LedgerEvent>& events,
                                       std::optional<std::uint64_t> resumes_after) {
  if (const auto lost = describe_lost_attempt(folder_, attempt_ - 1, events, resumes_after))
    write(lost->kName, fields_of(*lost));
}

void HeadRecords::tell_of_damage(const std::vector<LedgerEvent>& events) const {
  for (const auto& damage : describe_damage(events)) log_("warning: " + damage);
}

Expected<void> HeadRecords::open_ledger(EventLoop& loop) {
  auto ledger = LedgerWriter::open(folder_, "head-" + std::to_string(attempt_));
  if (!ledger) return tl::unexpected(ledger.error());
  ledger_.emplace(loop, std::move(*ledger), [this](const std::string& failure) {
    if (unwritten_.empty()) unwritten_ = failure;
    log_(failure);
  });
  return {};
}

Expected<void> HeadRecords::claim_next() {
  auto nonce = make_nonce();
  if (!nonce) return tl::unexpected(nonce.error());
  const auto number = folder_.claim_attempt_after(attempt_, *nonce, job_id_, restart_count_);
  if (!number) {
    superseded_ |= number.error().code == ExitCode::still_running;
    return tl::unexpected(number.error());
  }
  attempt_ = *number;
  nonce_ = std::move(*nonce);
  return {};
}

bool HeadRecords::is_superseded() {
  superseded_ |= highest_attempt() > attempt_;
  return superseded_;
}

bool HeadRecords::cancel_recorded() const {
  const auto events = load_ledger(folder_, RankEvents::skip);
  return events && is_cancel_requested(*events);
}

void HeadRecords::write(const std::string& event, const nlohmann::json& fields) {
  if (event == event::AttemptEnded::kName && is_superseded()) return;  // the later head has told how it ended
  ledger_->write(event, fields);
  if (heard_) heard_({std::chrono::system_clock::now(), event, fields});
}

void HeadRecords::end_run(const RunEnd& end) {
  unwritten_.clear();
  if (is_superseded()) return;
  write(event::RunEnded{.state = end.state,
                        .exit_code = end.exit_code,
                        .message = end.message,
                        .cause = end.cause ? std::optional(cause_of(*end.cause)) : std::nullopt});
  std::error_code ignored;  // most runs have no secrets
  std::filesystem::remove(folder_.secrets(), ignored);
}

}  // namespace ddp::agent
