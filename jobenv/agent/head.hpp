#pragma once

#include <sys/resource.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/deadline_query.hpp"
#include "jobenv/agent/event_loop.hpp"
#include "jobenv/agent/fleet.hpp"
#include "jobenv/agent/job_fate.hpp"
#include "jobenv/agent/requeue_policy.hpp"
#include "jobenv/agent/run_controller.hpp"
#include "jobenv/agent/slurm_job.hpp"
#include "jobenv/agent/tool_query.hpp"
#include "jobenv/record/launch_plan.hpp"
#include "jobenv/record/ledger.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

struct HeadOptions {
  std::filesystem::path run_dir;    ///< absolute
  std::optional<std::string> node;  ///< the first node, as scontrol resolved it
  std::optional<int> attached_fd;   ///< its end means that the submitter is gone
};

/// One run, from the claim of its first attempt to its last word: carries events to the RunController and
/// does what that decides.
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
  [[nodiscard]] Expected<void> claim();
  void look_around();
  void claim_next();
  [[nodiscard]] Expected<void> check_job();
  [[nodiscard]] Expected<void> launch();
  [[nodiscard]] Expected<std::unique_ptr<Fleet>> make_fleet();
  void watch_submitter();
  void watch_deadline();
  void expect_stop_signal();
  void make_up_for_stop_signal();

  void post(const RunEvent& event);
  void perform(const RunAction& action);
  void on_signal(int signal);
  void on_submitter();
  void check_claim();
  [[nodiscard]] bool is_superseded();
  [[nodiscard]] std::optional<int> earlier_last_word() const;
  void note_lost_attempt();
  void look_at_job();
  void on_look(JobFate fate);
  void arm(const ArmTimer& request);
  void disarm_timers();
  void write(const std::string& event, const nlohmann::json& fields);
  void end_early(const RunEnd& end);
  void end(const RunEnd& end);
  void ask_about_end();
  void consider_end(JobFate fate);
  void go_on_or_close(JobFate fate);
  void request_requeue();
  [[nodiscard]] bool may_still_requeue();
  void note_requeue(StopReason reason, const std::string& advice);
  void on_requeue_answer(const ToolAnswer& answer);
  void ask_whether_requeued(const std::string& words);
  void consider_requeue(JobFate fate, const std::string& words);
  void on_requeue_refused(const std::string& words);
  void leave_to_next_attempt();
  void close();
  void speak_last_word();
  [[nodiscard]] std::uint64_t checkpoint_step() const;
  [[nodiscard]] int count_requeues() const;
  [[nodiscard]] bool cancel_recorded() const;
  [[nodiscard]] JobFate take_fate(const ToolAnswer& answer);
  [[nodiscard]] QuestionContext question_context() const;

  HeadOptions options_;
  EnvMap environment_;
  Log log_;
  RunFolder folder_;
  LaunchPlan plan_;
  std::string host_;
  std::optional<rlimit> descriptor_limit_;
  SlurmJob job_;
  std::optional<std::chrono::system_clock::time_point> deadline_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<LedgerWriter> ledger_;
  Attempt attempt_;
  std::optional<RunController> controller_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<DeadlineQuery> deadline_query_;
  std::unique_ptr<ToolQuery> look_;           ///< at the job, while it is under way
  std::unique_ptr<ToolQuery> requeue_query_;  ///< about the job, or to requeue it, at the end
  std::optional<StopWanted> undecided_stop_;  ///< waits for what the look tells
  EventLoop::TimerId look_timer_ = 0;
  EventLoop::TimerId question_timer_ = 0;  ///< until Slurm is asked again at the end
  bool asking_ = false;                    ///< what Slurm does with the job of a run that has ended
  bool taken_back_ = false;                ///< Slurm has said so once
  int requeue_requests_ = 0;
  bool terminated_ = false;        ///< head was sent TERM
  std::uint64_t began_after_ = 0;  ///< step of the newest checkpoint when head started
  std::optional<std::chrono::steady_clock::time_point> stop_began_;
  std::chrono::steady_clock::time_point ended_;  ///< the ranks
  enum class LastWord { spoken_here, left_to_next_attempt };
  LastWord last_word_ = LastWord::spoken_here;
  std::map<RunTimer, EventLoop::TimerId> timers_;
  EventLoop::WatchId submitter_watch_ = 0;
  std::deque<RunEvent> events_;
  bool handling_ = false;
  std::optional<RunEnd> end_;
  bool superseded_ = false;
  bool dismissed_ = false;
};

}  // namespace ddp::agent
