#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/head/head_ledger.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// What head leaves in the folder of its run, claims and events, and what it has to heed there: the claims of
/// other heads, and a cancel.
class HeadRecords {
 public:
  using Log = std::function<void(const std::string& line)>;
  HeadRecords(RunFolder folder, Log log) : folder_(std::move(folder)), log_(std::move(log)) {}

  [[nodiscard]] const RunFolder& folder() const { return folder_; }

  /// Claims head's first attempt in this start of the job. From then on HeadLedger writes, in the turns of
  /// `loop`, which must outlive it.
  [[nodiscard]] Expected<void> claim(const SchedulerJob& job, EventLoop& loop);
  /// Says that head has claimed it. `token`: of the submission, empty where it is not known. `resumes_after`,
  /// here and below: the step of the newest checkpoint, or 0, looked up after the claim: until then the ranks
  /// of a lost attempt may commit another.
  void tell_start(const SchedulerJob& job, const std::string& host, const std::string& token,
                  std::uint64_t resumes_after);
  /// Tells how the attempt before the claimed one ended, if nobody has.
  void tell_of_lost_attempt(const std::vector<LedgerEvent>& events,
                            std::optional<std::uint64_t> resumes_after);
  /// Says what of the ledger cannot be read.
  void tell_of_damage(const std::vector<LedgerEvent>& events) const;
  /// Claims the attempt after the present one, which is superseded when another head has done so.
  [[nodiscard]] Expected<void> claim_next();
  [[nodiscard]] int attempt() const { return attempt_; }
  [[nodiscard]] const std::string& nonce() const { return nonce_; }

  /// The first thing that could not be written, in words; empty: all was, or what came later tells how the
  /// run ended.
  [[nodiscard]] const std::string& unwritten() const { return unwritten_; }

  /// Whether another head has claimed a later attempt; it has the word then.
  [[nodiscard]] bool is_superseded();
  /// The highest attempt that anybody has claimed.
  [[nodiscard]] int highest_attempt() const { return folder_.highest_attempt().value_or(attempt_); }
  /// What cannot be read tells of no cancel.
  [[nodiscard]] bool cancel_recorded() const;

  void write(const std::string& event, const nlohmann::json& fields);
  /// Of the present attempt.
  template <class Event>
  void write(Event event) {
    event.attempt = attempt_;
    write(Event::kName, fields_of(event));
  }
  /// `heard` hears of each event that is written from here on.
  void tell(std::function<void(const LedgerEvent& event)> heard) { heard_ = std::move(heard); }
  /// The last word on the run, which needs its secrets no more. Another head's goes before it.
  void end_run(const RunEnd& end);

 private:
  [[nodiscard]] Expected<void> open_ledger(EventLoop& loop);

  RunFolder folder_;
  Log log_;
  std::string job_id_;
  int restart_count_ = 0;
  int attempt_ = 0;
  std::string nonce_;
  std::optional<HeadLedger> ledger_;
  std::string unwritten_;  ///< the first failure of the ledger, in words
  std::function<void(const LedgerEvent& event)> heard_;
  bool superseded_ = false;
};

}  // namespace ddp::agent
