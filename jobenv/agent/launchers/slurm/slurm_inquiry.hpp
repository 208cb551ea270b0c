#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/launchers/slurm/deadline_query.hpp"
#include "jobenv/agent/launchers/slurm/job_report.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Asks Slurm what it does with the job that head runs in, and has it start the job again. One thing at a
/// time: an answer that is still awaited is not told any more once something else is asked.
class SlurmInquiry final : public JobInquiry {
 public:
  /// All must outlive it. What slurmstepd says in `notices` explains why Slurm ends this start of the job.
  SlurmInquiry(EventLoop& loop, const EnvMap& environment, const SchedulerJob& job, EndNoticeReader notices)
      : loop_(loop), environment_(environment), job_(job), notices_(std::move(notices)) {}

  [[nodiscard]] bool has_job() const override { return !job_.id.empty(); }
  [[nodiscard]] std::string tool() const override { return "scontrol"; }
  void ask(OnFate on_fate) override;
  [[nodiscard]] bool under_way() const override { return query_ != nullptr || awaits_notice_; }
  [[nodiscard]] bool taken_back() const override { return taken_back_; }
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> end_time() const override {
    return end_time_;
  }
  [[nodiscard]] std::optional<StopReason> explain(JobFate fate) const override {
    return explain_stop(fate, notices_.read());
  }
  [[nodiscard]] bool was_cancelled() const override { return notices_.read() == EndNotice::cancelled; }
  void requeue(ToolQuery::OnAnswer on_answer) override;
  void hasten_start(std::function<void()> on_done) override;
  void find_lost_nodes(OnHosts on_hosts) override;
  void find_running(const std::string& job, const std::string& output, OnRunning on_running) override;
  void exclude(const std::vector<std::string>& hosts, const std::string& script,
               OnExcluded on_excluded) override;
  void ask_deadline(OnDeadline on_deadline) override;

 private:
  void try_without(const std::string& list, const std::string& script, const OnExcluded& on_excluded);
  void run(std::vector<std::string> argv, ToolQuery::OnAnswer on_answer);
  void tell(const std::optional<JobReport>& report, const OnFate& on_fate, int more_looks);

  EventLoop& loop_;
  const EnvMap& environment_;
  const SchedulerJob& job_;
  EndNoticeReader notices_;
  std::unique_ptr<ToolQuery> query_;
  std::unique_ptr<DeadlineQuery> deadline_query_;
  EventLoop::TimerId notice_timer_ = 0;
  EventLoop::TimerId patience_ = 0;  ///< what comes after it need not be awaited
  bool awaits_notice_ = false;
  bool taken_back_ = false;
  std::optional<std::chrono::system_clock::time_point> end_time_;
};

}  // namespace ddp::agent
