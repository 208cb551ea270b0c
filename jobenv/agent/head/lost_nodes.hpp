#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobenv/agent/head/head_records.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"

namespace ddp::agent {

/// Those of `hosts` that an earlier start of the newest submission was lost to, too: its head has named them,
/// or ran on them and left no end, though nobody had asked it to stop. `events` is the ledger.
[[nodiscard]] std::vector<std::string> find_lost_again(const std::vector<LedgerEvent>& events,
                                                       const std::vector<std::string>& hosts);

/// Records which nodes a start of the job has lost, and keeps those that were lost before from the next one.
/// Single-threaded, on head's loop.
class LostNodes {
 public:
  /// `inquiry` is asked nothing else; `records` must outlive this.
  LostNodes(std::unique_ptr<JobInquiry> inquiry, std::string scheduler, HeadRecords& records,
            HeadRecords::Log log)
      : inquiry_(std::move(inquiry)),
        scheduler_(std::move(scheduler)),
        records_(records),
        log_(std::move(log)) {}

  /// The scheduler takes the job back, and has not killed head yet. The second call does nothing.
  void begin();
  /// Calls `on_done` when nothing is under way (any more).
  void when_done(std::function<void()> on_done);

 private:
  enum class Stage { idle, busy, done };
  void record(const std::vector<std::string>& hosts);
  void exclude(const std::vector<std::string>& hosts);
  void tell(const std::vector<std::string>& hosts, const std::string& objection);
  void finish();

  std::unique_ptr<JobInquiry> inquiry_;
  std::string scheduler_;
  HeadRecords& records_;
  HeadRecords::Log log_;
  Stage stage_ = Stage::idle;
  std::function<void()> on_done_;
};

}  // namespace ddp::agent
