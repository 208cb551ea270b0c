#include "jobenv/agent/slurm_fleet.hpp"

#include <csignal>

#include "jobenv/agent/slurm_job.hpp"
#include "jobenv/agent/wait_status.hpp"

namespace ddp::agent {
namespace {

/// For srun to end after its tasks were told to, then after each signal.
constexpr std::chrono::seconds kSrunPatience{10};

}  // namespace

SlurmFleet::SlurmFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event)
    : loop_(loop),
      settings_(std::move(settings)),
      on_event_(std::move(on_event)),
      connections_(loop, on_event_) {}

SlurmFleet::~SlurmFleet() {
  loop_.cancel(patience_);
  if (srun_ > 0) loop_.forget_child(srun_);
}

Expected<void> SlurmFleet::launch() {
  const Reach reach = settings_.plan.nodes == 1 ? Reach::this_host : Reach::all_hosts;
  if (auto opened = connections_.open(reach, settings_.nonce); !opened) return opened;
  const auto srun = spawn(make_srun());
  if (!srun) return tl::unexpected(srun.error());
  srun_ = *srun;
  loop_.on_exit_of(srun_, [this](int status) { on_srun_exit(status); });
  return {};
}

ChildProgram SlurmFleet::make_srun() const {
  ChildProgram srun{render_srun_argv(settings_.plan), settings_.environment, -1, settings_.descriptor_limit};
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
  if (!dismissed_) return on_event_(LauncherEnded{"srun " + describe_wait_status(status)});
  loop_.cancel(patience_);
  dismissed_();
}

void SlurmFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  connections_.end();
  if (srun_ < 0) return dismissed_();
  const auto tasks = static_cast<std::size_t>(settings_.plan.nodes) *
                     static_cast<std::size_t>(settings_.plan.tasks_per_node);
  const bool all_will_end = connections_.ranks_seen() == tasks;  // tasks that never connected know of nothing
  if (!all_will_end) return insist(SIGTERM);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGTERM); });
}

void SlurmFleet::insist(int signal) {
  kill(srun_, signal);
  patience_ = loop_.after(kSrunPatience, [this] { insist(SIGKILL); });
}

}  // namespace ddp::agent
