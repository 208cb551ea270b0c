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
#include "jobenv/agent/run_controller.hpp"
#include "jobenv/agent/slurm_job.hpp"
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

  void post(const RunEvent& event);
  void perform(const RunAction& action);
  void on_signal(int signal);
  void on_submitter();
  void check_claim();
  void arm(const ArmTimer& request);
  void disarm_timers();
  void write(const std::string& event, const nlohmann::json& fields);
  void end(const RunEnd& end);
  void speak_last_word();
  [[nodiscard]] bool cancel_recorded() const;

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
  std::map<RunTimer, EventLoop::TimerId> timers_;
  EventLoop::WatchId submitter_watch_ = 0;
  std::deque<RunEvent> events_;
  bool handling_ = false;
  std::optional<RunEnd> end_;
  bool superseded_ = false;
  bool dismissed_ = false;
};

}  // namespace ddp::agent
