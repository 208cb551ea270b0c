#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/controller/run_controller.hpp"
#include "jobenv/agent/head/deadline_watch.hpp"
#include "jobenv/agent/head/head_records.hpp"
#include "jobenv/agent/head/live_file.hpp"
#include "jobenv/agent/head/run_ending.hpp"
#include "jobenv/agent/head/run_timers.hpp"
#include "jobenv/agent/head/stack_desk.hpp"
#include "jobenv/agent/head/starter.hpp"
#include "jobenv/agent/head/stop_inquiry.hpp"
#include "jobenv/agent/head/submitter_watch.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/fleet.hpp"
#include "jobenv/agent/notify/notify_desk.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/scheduler/job_inquiry.hpp"
#include "jobenv/agent/scheduler/scheduler_job.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

struct HeadOptions {
  std::filesystem::path run_dir;    ///< absolute
  std::optional<std::string> node;  ///< the first node, as the batch script has resolved it
  std::optional<int> node_rank;     ///< of the host it runs on; nullopt: that of the first one
  std::optional<int> stdin_fd;      ///< what rank 0 reads as its stdin; nullopt: nothing
  std::optional<int> attached_fd;   ///< its end means that the submitter is gone
  std::optional<int> ready_fd;      ///< where to write how agents on other hosts find this head
};

/// One run, from the claim of its first attempt to its last word: carries events to the RunController and
/// does what that decides. What a signal means, StopInquiry finds out; what follows the end of the ranks is
/// RunEnding's.
class Head {
 public:
  using Log = std::function<void(const std::string& line)>;
  Head(HeadOptions options, EnvMap environment, Log log);
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  /// Returns the exit code of the process.
  [[nodiscard]] int run();

 private:
  [[nodiscard]] Expected<void> load();
  void make_parts();
  void make_notify_desk();
  void find_job();
  [[nodiscard]] std::unique_ptr<JobInquiry> make_inquiry();
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> find_deadline() const;
  void take_deadline(std::chrono::system_clock::time_point deadline);
  [[nodiscard]] std::string submission_token() const;
  [[nodiscard]] std::optional<int> earlier_last_word() const;
  [[nodiscard]] int refuse(const std::string& why, int exit_code);
  [[nodiscard]] bool rival_runs(const std::string& rival);
  void begin();
  [[nodiscard]] std::optional<RunEnd> find_early_end(const Expected<std::vector<LedgerEvent>>& events) const;
  [[nodiscard]] Expected<void> launch();
  void watch_submitter();
  void begin_views();
  void link_output();

  void on_fleet_event(const RunEvent& event);
  void on_timer(RunTimer timer);
  void on_signal(int signal);
  void check_claim();
  void post(const RunEvent& event);
  [[nodiscard]] bool explains_loss();
  void perform(const RunAction& action);
  void look_around();
  void claim_next();

  void end_early(const RunEnd& end);
  void end(const RunEnd& end);
  void close(const RunEnd& end, LastWord last_word);

  HeadOptions options_;
  EnvMap environment_;
  Log log_;
  Starter starter_;
  std::unique_ptr<EventLoop> loop_;
  HeadRecords records_;
  LaunchPlan plan_;
  std::string host_;
  std::optional<rlimit> descriptor_limit_;
  const AgentLauncher* launcher_ = nullptr;
  SchedulerJob job_;
  Expected<void> job_found_;  ///< why the job that head runs in is refused
  std::optional<RunTimers> timers_;
  std::optional<LiveFile> live_;
  std::optional<StackDesk> stack_desk_;
  std::optional<NotifyDesk> notify_desk_;
  std::unique_ptr<JobInquiry> inquiry_;
  std::optional<LostNodes> lost_nodes_;
  std::optional<RunEnding> ending_;
  std::optional<RunController> controller_;
  std::unique_ptr<Fleet> fleet_;
  std::optional<SubmitterWatch> submitter_watch_;
  std::optional<DeadlineWatch> deadline_watch_;
  std::optional<StopInquiry> stop_inquiry_;
  bool begun_ = false;
  std::vector<int> early_signals_;  ///< that came before it had begun
  bool terminated_ = false;         ///< head was sent TERM
  std::uint64_t began_after_ = 0;   ///< step of the newest checkpoint when head started
  std::chrono::steady_clock::time_point looked_for_cancel_;  ///< after the loss of an agent
  std::deque<RunEvent> events_;
  bool handling_ = false;
  bool ended_ = false;  ///< the ranks; what comes is for ending_
  int exit_code_ = 0;
  bool dismissed_ = false;
};

}  // namespace ddp::agent
