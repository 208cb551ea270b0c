#include "jobenv/agent/launchers/slurm/slurm_fleet.hpp"

#include <algorithm>
#include <csignal>

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/agent/process/wait_status.hpp"
#include "jobenv/agent/protocol/agent_exit.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

/// For srun to end after its tasks were told to, then after each signal.
constexpr std::chrono::seconds kSrunPatience{10};
/// Between two questions whether a step is gone, at first and at most.
constexpr std::chrono::milliseconds kShortestPause{500};
constexpr std::chrono::milliseconds kLongestPause{30'000};
constexpr std::uintmax_t kKeptWords = 4096;

}  // namespace

SlurmFleet::SlurmFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event)
    : loop_(loop),
      settings_(std::move(settings)),
      on_event_(std::move(on_event)),
      connections_(loop, settings_.plan.waits, on_event_) {}

SlurmFleet::~SlurmFleet() {
  loop_.cancel(patience_);
  if (srun_ > 0) loop_.forget_child(srun_);
}

Expected<void> SlurmFleet::launch() {
  const Reach reach = settings_.plan.nodes == 1 ? Reach::this_host : Reach::all_hosts;
  if (auto opened = connections_.open(reach); !opened) return opened;
  output_.emplace(RunFolder(settings_.plan.run_dir).job_output(settings_.plan.launcher, settings_.job_id));
  const auto srun = spawn(make_srun());
  if (!srun) return tl::unexpected(srun.error());
  srun_ = *srun;
  loop_.on_exit_of(srun_, [this](int status) { on_srun_exit(status); });
  return {};
}

ChildProgram SlurmFleet::make_srun() const {
  ChildProgram srun{.argv = render_srun_argv(settings_.plan),
                    .environment = settings_.environment,
                    .descriptor_limit = settings_.descriptor_limit};
  connections_.write_address(srun.environment, settings_.plan.run_dir);
  // The option says it; versions of srun differ in which of these they read beside it, and refuse two that
  // differ.
  for (const char* name : {"SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "SLURM_TRES_PER_TASK"}) {
    srun.environment.unset(name);
  }
  return srun;
}

void SlurmFleet::on_srun_exit(int status) {
  srun_ = -1;
  loop_.cancel(patience_);
  if (dismissed_) return dismissed_();
  if (relaunching_) return await_end_of_step();
  const auto agent = describe_agent_exit(status);  // srun's code is that of a task
  on_event_(LauncherEnded{"srun " + describe_wait_status(status) + (agent ? ": " + *agent : ""),
                          to_valid_utf8(output_->load(kKeptWords))});
}

void SlurmFleet::relaunch() {
  relaunching_ = true;
  loop_.cancel(patience_);
  step_query_.reset();
  query_pause_ = kShortestPause;
  if (srun_ < 0) {
    connections_.end();
    return await_end_of_step();
  }
  let_go();
}

void SlurmFleet::await_end_of_step() {
  step_query_ = std::make_unique<StepQuery>(
      loop_, settings_.environment, settings_.job_id, settings_.plan.agent, [this](StepQuery::Answer answer) {
        if (answer == StepQuery::Answer::gone) {
          patience_ = loop_.after(std::chrono::milliseconds(0), [this] { launch_again(); });
        } else {
          patience_ = loop_.after(query_pause_, [this] { await_end_of_step(); });
          query_pause_ = std::min(2 * query_pause_, kLongestPause);
        }
      });
}

void SlurmFleet::launch_again() {
  relaunching_ = false;
  if (const auto launched = launch(); !launched) return on_event_(LauncherEnded{launched.error().message});
  on_event_(LauncherStarted{});
}

void SlurmFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  loop_.cancel(patience_);
  step_query_.reset();
  if (srun_ >= 0) return let_go();
  connections_.end();
  dismissed_();
}

/// srun ends when all of its tasks have.
void SlurmFleet::let_go() {
  connections_.end();
  const auto tasks = static_cast<std::size_t>(settings_.plan.nodes) *
                     static_cast<std::size_t>(settings_.plan.tasks_per_node);
  const bool all_will_end = connections_.ranks_seen() == tasks;  // tasks that never connected know of nothing
  if (!all_will_end) return insist(SIGTERM);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGTERM); });
}

void SlurmFleet::insist(int signal) {
  if (srun_ <= 0) return;
  kill(srun_, signal);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGKILL); });
}

}  // namespace ddp::agent
