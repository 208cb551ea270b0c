#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/slurm/job_fate.hpp"
#include "jobenv/agent/slurm/slurm_job.hpp"
#include "jobenv/agent/slurm/tool_query.hpp"

namespace ddp::agent {

/// Asks Slurm what it does with the job that head runs in, and has it start the job again. One thing at a
/// time: an answer that is still awaited is not told any more once something else is asked.
class JobInquiry {
 public:
  using OnFate = std::function<void(JobFate fate)>;

  /// All must outlive it.
  JobInquiry(EventLoop& loop, const EnvMap& environment, const SlurmJob& job)
      : loop_(loop), environment_(environment), job_(job) {}

  /// Whether there is a job to ask about.
  [[nodiscard]] bool has_job() const { return !job_.id.empty(); }

  /// `on_fate` is called once, from the loop. A job that is taken back stays so, even if Slurm does not
  /// answer any more.
  void ask(OnFate on_fate);
  [[nodiscard]] bool under_way() const { return query_ != nullptr || awaits_notice_; }
  /// Slurm has said so once.
  [[nodiscard]] bool taken_back() const { return taken_back_; }
  /// The end of a job that runs, as Slurm has told it last: its time limit may have been changed.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> end_time() const { return end_time_; }

  /// Why Slurm stops the ranks of a job of that fate.
  [[nodiscard]] std::optional<StopReason> explain(JobFate fate) const {
    return explain_stop(fate, notices_.read());
  }
  /// By scancel, as slurmstepd has said.
  [[nodiscard]] bool was_cancelled() const { return notices_.read() == EndNotice::cancelled; }
  /// Where slurmstepd announces the end of this start of the job.
  void listen_to(EndNoticeReader notices) { notices_ = std::move(notices); }

  void requeue(ToolQuery::OnAnswer on_answer);

  using OnHosts = std::function<void(const std::vector<std::string>& hosts)>;
  /// The nodes of the job that Slurm has given up; what it does not answer names none.
  void find_lost_nodes(OnHosts on_hosts);

  /// `objection` is empty when it is done.
  using OnExcluded = std::function<void(const std::string& objection)>;
  /// Keeps `hosts` from the next starts of the job, which waits for one, besides those that it is kept from
  /// already; but not if Slurm can never start `script` without them.
  void exclude(const std::vector<std::string>& hosts, const std::string& script, OnExcluded on_excluded);

 private:
  void try_without(const std::string& list, const std::string& script, OnExcluded on_excluded);
  void run(std::vector<std::string> argv, ToolQuery::OnAnswer on_answer);
  void tell(const std::optional<JobReport>& report, const OnFate& on_fate, int more_looks);

  EventLoop& loop_;
  const EnvMap& environment_;
  const SlurmJob& job_;
  EndNoticeReader notices_;
  std::unique_ptr<ToolQuery> query_;
  EventLoop::TimerId notice_timer_ = 0;
  bool awaits_notice_ = false;
  bool taken_back_ = false;
  std::optional<std::chrono::system_clock::time_point> end_time_;
};

}  // namespace ddp::agent
