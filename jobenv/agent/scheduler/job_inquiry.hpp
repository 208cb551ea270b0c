#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/scheduler/job_fate.hpp"
#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Asks the scheduler what it does with the job that head runs in, and has it start the job again. This one
/// is for a run that nobody can be asked about; a launcher with a scheduler overrides what that can tell.
/// Single-threaded, on head's loop.
class JobInquiry {
 public:
  using OnFate = std::function<void(JobFate fate)>;
  using OnHosts = std::function<void(const std::vector<std::string>& hosts)>;
  using OnRunning = std::function<void(bool running)>;
  using OnDeadline = std::function<void(std::chrono::system_clock::time_point deadline)>;
  /// `objection` is empty when it is done.
  using OnExcluded = std::function<void(const std::string& objection)>;

  JobInquiry() = default;
  JobInquiry(const JobInquiry&) = delete;
  JobInquiry& operator=(const JobInquiry&) = delete;
  virtual ~JobInquiry() = default;

  /// Whether there is a job to ask about.
  [[nodiscard]] virtual bool has_job() const { return false; }

  /// What asks the scheduler, for messages.
  [[nodiscard]] virtual std::string tool() const { return "it"; }

  // Whoever can ask keeps what is passed by value.
  // NOLINTBEGIN(performance-unnecessary-value-param)

  /// `on_fate` is called once, from the loop, or at once where nobody is asked. A job that is taken back
  /// stays so, even if the scheduler does not answer any more.
  virtual void ask(OnFate on_fate) { on_fate(JobFate::unknown); }
  [[nodiscard]] virtual bool under_way() const { return false; }
  /// The scheduler has said so once.
  [[nodiscard]] virtual bool taken_back() const { return false; }
  /// The end of a job that runs, as the scheduler has told it last: its time limit may have been changed.
  [[nodiscard]] virtual std::optional<std::chrono::system_clock::time_point> end_time() const { return {}; }
  /// Why the scheduler stops the ranks of a job of that fate.
  [[nodiscard]] virtual std::optional<StopReason> explain(JobFate) const { return {}; }
  /// By somebody who has asked the scheduler for it, as that has said.
  [[nodiscard]] virtual bool was_cancelled() const { return false; }

  virtual void requeue(ToolQuery::OnAnswer on_answer) { on_answer({}); }
  /// Asks the scheduler to start the job, which it has requeued, as soon as it can. `on_done` is called when
  /// it has answered, or after ten seconds.
  virtual void hasten_start(std::function<void()> on_done) { on_done(); }
  /// The nodes of the job that the scheduler has given up; what it does not answer names none.
  virtual void find_lost_nodes(OnHosts on_hosts) { on_hosts({}); }
  /// Whether another job, whose script prints into `output`, runs, or is suspended. `on_running` is called
  /// once; with false, too, if nobody has answered within ten seconds.
  virtual void find_running(const std::string& /*job*/, const std::string& /*output*/, OnRunning on_running) {
    on_running(false);
  }
  /// Keeps `hosts` from the next starts of the job, which waits for one, besides those that it is kept from
  /// already; but not if the scheduler can never start `script` without them.
  virtual void exclude(const std::vector<std::string>& /*hosts*/, const std::string& /*script*/,
                       OnExcluded on_excluded) {
    on_excluded("the scheduler does not support it");
  }
  /// When the job ends, beside everything else that is asked. `on_deadline` is not called without an answer:
  /// then head does not make up for a stop signal that the scheduler has not sent.
  virtual void ask_deadline(OnDeadline) {}

  // NOLINTEND(performance-unnecessary-value-param)
};

}  // namespace ddp::agent
