#include "jobenv/agent/node/node_setup.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/agent/process/setup_script.hpp"
#include "jobenv/agent/process/wait_status.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
NodeSetup::NodeSetup(EventLoop& loop, const LaunchPlan& plan, int node_rank, Done done)
    : loop_(loop),
      plan_(plan),
      node_rank_(node_rank),
      done_(std::move(done)),
      processes_(loop, plan.waits,
                 {[this](const GuardReport& report) { on_report(report); },
                  [](pid_t, int, const std::string&) {}, [this] { fail("its guard was killed"); }}) {}

Expected<void> NodeSetup::start(const EnvMap& environment, const std::optional<rlimit>& descriptor_limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return ddp::fail_errno(ExitCode::run_failed, "cannot create a pipe", errno);
  result_ = FileDescriptor(ends[0]);
  const FileDescriptor write_end(ends[1]);
  const auto watch = loop_.watch(result_.get(), EPOLLIN, [this](std::uint32_t) { read_state(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  shell_.argv = render_setup_argv(
      plan_, failure_report(), {plan_.agent, "set-up-node", "--result-fd", std::to_string(write_end.get())});
  shell_.environment = environment.entries();
  shell_.programs = {shell_.argv.front()};
  shell_.work_dir = plan_.work_dir;
  shell_.out = shell_.err = RunFolder(plan_.run_dir).node_log(node_rank_);
  shell_.inherited = {write_end.get()};
  shell_.descriptor_limit = descriptor_limit;
  return processes_.start({shell_});
}

std::filesystem::path NodeSetup::failure_report() const {
  return RunFolder(plan_.run_dir).root() / ("setup-failure-" + std::to_string(node_rank_));
}

void NodeSetup::read_state() {
  std::array<char, 16384> buffer{};
  const ssize_t size = read(result_.get(), buffer.data(), buffer.size());
  if (size < 0 && errno == EINTR) return;
  if (size > 0) text_.append(buffer.data(), static_cast<std::size_t>(size));
  const bool whole = is_whole_shell_state(text_);
  if (size <= 0 || whole) loop_.forget(watch_);  // without a state, the end of the shell follows
  if (whole && done_) std::exchange(done_, nullptr)(parse_shell_state(text_));
}

void NodeSetup::on_report(const GuardReport& report) {
  if (report.kind == GuardReport::Kind::start_failed) {
    start_failure_ = describe_start_failure(shell_, report.step, report.value);
  } else if (report.kind == GuardReport::Kind::exited) {
    std::string line = describe_failed_line(plan_, report.value, take_failure_report(failure_report()));
    if (line.empty())
      line = describe_bash_error(plan_, load_log_tail(RunFolder(plan_.run_dir).node_log(node_rank_)));
    fail(start_failure_.empty() ? describe_wait_status(report.value) + line : start_failure_);
  }
}

void NodeSetup::fail(std::string what) {
  if (!done_) return;
  const auto log = RunFolder(plan_.run_dir).node_log(node_rank_);
  what = std::string(kSetupName) + " " + what + " (see logs/" + log.filename().string() + ")";
  std::exchange(
      done_, nullptr)(tl::unexpected(AgentFailed{std::move(what), load_log_tail(log), Recurrence::certain}));
}

}  // namespace ddp::agent
