#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobenv/agent/head_records.hpp"
#include "jobenv/agent/job_inquiry.hpp"

namespace ddp::agent {

/// Those of `hosts` that an earlier start of the newest submission was lost to, too: its head has named them,
/// or ran on them and left no end. `events` is the whole ledger.
[[nodiscard]] std::vector<std::string> find_lost_again(const std::vector<LedgerEvent>& events,
                                                       const std::vector<std::string>& hosts);

/// Records which nodes a start of the job has lost, and keeps those that were lost before from the next one.
/// Single-threaded, on head's loop.
class LostNodes {
 public:
  /// All but the functions must outlive it. `on_done` is called once.
  LostNodes(HeadRecords& records, JobInquiry& inquiry, HeadRecords::Log log, std::function<void()> on_done)
      : records_(records), inquiry_(inquiry), log_(std::move(log)), on_done_(std::move(on_done)) {}

  /// Slurm takes the job back, and has not killed head yet.
  void begin();

 private:
  void record(const std::vector<std::string>& hosts);
  void exclude(const std::vector<std::string>& hosts);

  HeadRecords& records_;
  JobInquiry& inquiry_;
  HeadRecords::Log log_;
  std::function<void()> on_done_;
};

}  // namespace ddp::agent
