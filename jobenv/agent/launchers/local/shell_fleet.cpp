#include "jobenv/agent/launchers/local/shell_fleet.hpp"

#include <csignal>
#include <string>

#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/agent/process/setup_script.hpp"
#include "jobenv/agent/process/wait_status.hpp"
#include "jobenv/agent/protocol/agent_exit.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

/// For an agent to leave after it was told to, and for set-up lines after TERM.
constexpr std::chrono::seconds kAgentPatience{10};
constexpr std::chrono::seconds kSetupPatience{2};

/// Where the shell writes which of its commands failed. Head reads it once.
std::filesystem::path failure_report(const LaunchPlan& plan) {
  return RunFolder(plan.run_dir).root() / "setup-failure";
}

std::vector<std::string> render_argv(const LaunchPlan& plan, int input) {
  std::vector<std::string> agent{plan.agent, "node", "--run-dir", plan.run_dir, "--node-rank", "0"};
  if (input >= 0) agent.insert(agent.end(), {"--stdin-fd", std::to_string(input)});
  return render_setup_argv(plan, failure_report(plan), agent);
}

void remove_failure_report(const LaunchPlan& plan) {
  std::error_code ignored;  // what is not the report of this shell does not match its end
  std::filesystem::remove(failure_report(plan), ignored);
}

}  // namespace

ShellFleet::ShellFleet(EventLoop& loop, FleetSettings settings, OnEvent on_event)
    : loop_(loop),
      settings_(std::move(settings)),
      on_event_(std::move(on_event)),
      connections_(loop, settings_.plan.waits, on_event_),
      processes_(loop, settings_.plan.waits,
                 {[this](const GuardReport& report) { on_report(report); },
                  [](pid_t, int, const std::string&) {}, [this] { on_gone(); }}) {}

Expected<void> ShellFleet::launch() {
  if (auto opened = connections_.open(Reach::this_host); !opened) return opened;
  end_.clear();
  remove_failure_report(settings_.plan);
  shell_ = make_shell();
  return processes_.start({shell_});
}

GuardedProcess ShellFleet::make_shell() const {
  const LaunchPlan& plan = settings_.plan;
  EnvMap environment = settings_.environment;
  connections_.write_address(environment, plan.run_dir);
  GuardedProcess shell;
  shell.argv = render_argv(plan, settings_.input);
  if (settings_.input >= 0) shell.inherited = {settings_.input};
  shell.environment = environment.entries();
  shell.programs = {shell.argv.front()};
  shell.work_dir = plan.work_dir;
  shell.out = shell.err = RunFolder(plan.run_dir).head_log();
  shell.descriptor_limit = settings_.descriptor_limit;
  return shell;
}

void ShellFleet::on_report(const GuardReport& report) {
  if (report.kind == GuardReport::Kind::start_failed) {
    end_ = describe_start_failure(shell_, report.step, report.value);
  } else if (report.kind == GuardReport::Kind::exited && end_.empty()) {
    end_ = describe_end(report.value) + " (see logs/head.log)";
  }
}

/// Of the lines, or of the agent that their shell has become.
std::string ShellFleet::describe_end(int status) const {
  auto line =
      describe_failed_line(settings_.plan, status, take_failure_report(failure_report(settings_.plan)));
  const auto agent = describe_agent_exit(status);
  const bool by_agent = agent && line.empty() && tells_of_head(load_log_tail(shell_.err));
  if (line.empty()) line = describe_bash_error(settings_.plan, load_log_tail(shell_.err));
  return by_agent ? *agent : std::string(kSetupName) + " " + describe_wait_status(status) + line;
}

void ShellFleet::on_gone() {
  loop_.cancel(patience_);
  if (dismissed_) return dismissed_();
  if (relaunching_) return launch_again();
  on_event_(LauncherEnded{end_.empty() ? "the guard of environment.setup was killed" : end_,
                          load_log_tail(shell_.err), settings_.host});
}

void ShellFleet::relaunch() {
  relaunching_ = true;
  connections_.end();
  if (processes_.busy()) {
    patience_ = loop_.after(kAgentPatience, [this] { processes_.kill(); });
  } else {
    patience_ = loop_.after(std::chrono::milliseconds(0), [this] { launch_again(); });
  }
}

void ShellFleet::launch_again() {
  relaunching_ = false;
  if (const auto launched = launch(); !launched)
    return on_event_(LauncherEnded{launched.error().message, {}, settings_.host});
  on_event_(LauncherStarted{});
}

void ShellFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  loop_.cancel(patience_);
  connections_.end();
  if (!processes_.busy()) return dismissed_();
  const bool still_in_setup = connections_.ranks_seen() == 0;
  if (still_in_setup) processes_.signal(SIGTERM);
  patience_ = loop_.after(still_in_setup ? kSetupPatience : kAgentPatience, [this] { processes_.kill(); });
}

}  // namespace ddp::agent
