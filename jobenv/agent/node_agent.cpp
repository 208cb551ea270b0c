#include "jobenv/agent/node_agent.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/log_tail.hpp"
#include "jobenv/agent/rank_environment.hpp"
#include "jobenv/agent/reaper.hpp"
#include "jobenv/agent/socket_address.hpp"
#include "jobenv/record/durable_file.hpp"

namespace ddp::agent {
namespace {

/// A guard that was told to kill and does not end is stuck; it is killed then, and the agent sweeps in its
/// place.
constexpr std::chrono::seconds kGuardPatience{5};
constexpr std::chrono::milliseconds kSweepPause{10};

/// What a trainer must not die of: it obeys its page.
std::vector<int> signals_blocked_in(const LaunchPlan& plan) {
  if (plan.program == ProgramKind::command) return {};
  std::vector<int> signals = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
  if (plan.stop_signal) {
    if (const auto signal = parse_signal(*plan.stop_signal)) signals.push_back(*signal);
  }
  return signals;
}

Expected<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail_errno(ExitCode::run_failed, "cannot make the folder '" + folder.string() + "'", error.value());
}

Phase phase_of(const ProgressPage& page) {
  const Phase phase = page.phase.load(std::memory_order_relaxed);
  return phase <= Phase::done ? phase : Phase::start;  // the rank can write anything there
}

}  // namespace

NodeAgent::NodeAgent(EventLoop& loop, NodeAgentSettings settings, Report report)
    : loop_(loop),
      settings_(std::move(settings)),
      report_(std::move(report)),
      folder_(std::filesystem::path(settings_.plan.run_dir)) {}

NodeAgent::~NodeAgent() {
  loop_.forget(guard_watch_);
  loop_.cancel(timer_);
  if (guard_.pid > 0) loop_.forget_child(guard_.pid);
}

Expected<Hello> NodeAgent::hello() const {
  Hello hello{settings_.host, {}, settings_.ranks};
  if (settings_.plan.nodes == 1 || settings_.plan.interface == "auto") return hello;
  const auto address = resolve_interface(settings_.plan.interface);
  if (!address) return tl::unexpected(address.error().context("host " + settings_.host));
  hello.interface = *address;
  return hello;
}

void NodeAgent::handle(const HeadMessage& message) {
  std::visit(
      Overloaded{[this](const BindStore& request) { bind_store(request); },
                 [this](const StartAttempt& request) { start(request); },
                 [this](const StopRanks& request) { stop(request); }, [this](const KillRanks&) { kill(); },
                 [](const auto&) {}},  // Welcome, Ping and End concern the connection
      message);
}

void NodeAgent::bind_store(const BindStore& request) {
  auto store = bind_store_socket(request.address, settings_.plan.program);
  if (!store) return report_(AgentFailed{store.error().message});
  store_ = std::move(*store);
  report_(StoreBound{store_.port});
}

void NodeAgent::start(const StartAttempt& request) {
  attempt_ = request.attempt;
  const auto prepared = prepare(request);
  if (!prepared) return report_(AgentFailed{prepared.error().message});
  std::vector<RankProcess> processes;
  for (const Rank& rank : ranks_) processes.push_back(rank.process);
  auto guard = fork_guard(processes);
  if (!guard) return report_(AgentFailed{guard.error().message});
  guard_ = std::move(*guard);
  // Rank 0 serves the store from now on: with no copy here, its death closes the port.
  if (settings_.plan.program == ProgramKind::trainer) store_ = StoreSocket{};

  loop_.on_exit_of(guard_.pid, [this](int status) { on_guard_exit(status); });
  const auto watch = loop_.watch(guard_.socket.get(), EPOLLIN, [this](std::uint32_t) { read_guard(); });
  if (watch) return void(guard_watch_ = *watch);
  kill();  // cannot be heard from: its exit is still seen
}

Expected<void> NodeAgent::prepare(const StartAttempt& request) {
  for (const auto& folder : {folder_.logs(attempt_), folder_.exits(attempt_)}) {
    if (auto made = make_folder(folder); !made) return made;
  }
  const auto secrets = load_secrets(folder_.secrets());
  if (!secrets) return tl::unexpected(secrets.error());
  ranks_.clear();
  for (const RankPlace& place : settings_.ranks) {
    Rank& rank = ranks_.emplace_back();
    rank.place = place;
    if (auto prepared = prepare_rank(rank, request, *secrets); !prepared) return prepared;
  }
  return {};
}

Expected<void> NodeAgent::prepare_rank(Rank& rank, const StartAttempt& request,
                                       const std::map<std::string, std::string>& secrets) {
  const LaunchPlan& plan = settings_.plan;
  auto progress = ProgressMapping::create();
  if (!progress) return tl::unexpected(progress.error());
  rank.progress.emplace(std::move(*progress));

  const JobEnvironment job = make_job(plan, request, rank.place, settings_.host, settings_.environment);
  EnvMap env = make_rank_environment(settings_.environment, plan, secrets, job);
  RankProcess& process = rank.process;
  process.rank = rank.place.rank;
  process.inherited = {rank.progress->descriptor()};
  env.set(kProgressFd, std::to_string(rank.progress->descriptor()));
  if (process.rank == 0 && plan.program == ProgramKind::trainer) {
    process.inherited.push_back(store_.descriptor.get());
    env.set(kStoreFd, std::to_string(store_.descriptor.get()));
  }
  process.argv = plan.argv;
  process.programs =
      find_programs(plan.argv.front(), env.get("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  process.environment = env.entries();
  process.work_dir = plan.work_dir;
  process.out = folder_.out(attempt_, process.rank);
  process.err = folder_.err(attempt_, process.rank);
  process.blocked_signals = signals_blocked_in(plan);
  process.descriptor_limit = settings_.descriptor_limit;
  return {};
}

void NodeAgent::stop(const StopRanks& request) {
  for (Rank& rank : ranks_) rank.progress->page().stop_requested.store(1, std::memory_order_relaxed);
  if (settings_.plan.program == ProgramKind::trainer || request.signal == external_signal_ || !busy()) return;
  sent_signal_ = request.signal;
  const GuardCommand command{request.signal};
  send(guard_.socket.get(), &command, sizeof command, MSG_NOSIGNAL);
}

void NodeAgent::kill() {
  if (!busy() || sent_signal_ == SIGKILL) return;
  sent_signal_ = SIGKILL;
  const GuardCommand command{SIGKILL};
  send(guard_.socket.get(), &command, sizeof command, MSG_NOSIGNAL);
  timer_ = loop_.after(kGuardPatience, [this] { ::kill(guard_.pid, SIGKILL); });
}

void NodeAgent::read_guard() {
  GuardReport report;
  while (true) {
    const ssize_t size = recv(guard_.socket.get(), &report, sizeof report, 0);
    if (size == sizeof report) {
      on_guard_report(report);
      continue;
    }
    if (size == 0) loop_.forget(guard_watch_);  // its exit follows
    return;
  }
}

void NodeAgent::on_guard_report(const GuardReport& report) {
  const auto found = std::ranges::find(ranks_, report.rank, [](const Rank& rank) { return rank.place.rank; });
  if (found == ranks_.end()) return;
  Rank& rank = *found;
  switch (report.kind) {
    case GuardReport::Kind::started:
      rank.pid = report.value;
      rank.started = std::chrono::system_clock::now();
      return report_(RankStarted{rank.place.rank, rank.pid});
    case GuardReport::Kind::start_failed:
      rank.start_failure = describe_start_failure(rank.process, report.step, report.value);
      return;
    case GuardReport::Kind::exited:
      return on_rank_exit(rank, report.value, rank.start_failure);
  }
}

void NodeAgent::on_rank_exit(Rank& rank, int status, const std::string& what) {
  if (std::exchange(rank.ended, true)) return;
  const ExitRecord record = make_record(rank, status);
  const auto saved = save_file(folder_.exit_record(attempt_, record.rank), to_json(record).dump(2) + "\n",
                               Durability::synced);
  // A success that left no record is none.
  report_(RankExited{record, !saved && record.succeeded() ? saved.error().message : what});
}

ExitRecord NodeAgent::make_record(const Rank& rank, int status) const {
  ExitRecord record;
  record.attempt = attempt_;
  record.rank = rank.place.rank;
  record.local_rank = rank.place.local_rank;
  record.host = settings_.host;
  record.pid = rank.pid;
  if (WIFSIGNALED(status)) {
    record.signal = WTERMSIG(status);
  } else {
    record.code = WEXITSTATUS(status);
  }
  const bool obeyed =
      sent_signal_ != 0 && (record.signal == sent_signal_ || record.code == 128 + sent_signal_);
  record.ended_by = obeyed ? EndedBy::agent : EndedBy::itself;
  const ProgressPage& page = rank.progress->page();
  const std::uint64_t step = page.step.load(std::memory_order_relaxed);
  if (step != ProgressPage::kNoStep) record.last_step = step;
  record.phase = phase_of(page);
  record.started = rank.started;
  record.ended = std::chrono::system_clock::now();
  record.stderr_tail = load_tail(folder_.err(attempt_, rank.place.rank));
  return record;
}

void NodeAgent::on_guard_exit(int status) {
  read_guard();
  loop_.cancel(timer_);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return finish();
  if (std::exchange(sent_signal_, SIGKILL) == SIGKILL) return sweep("");
  const std::string end = WIFSIGNALED(status) ? "was killed by signal " + std::to_string(WTERMSIG(status)) +
                                                    " (" + signal_name(WTERMSIG(status)) + ")"
                                              : "ended with exit code " + std::to_string(WEXITSTATUS(status));
  sweep("the guard of the ranks on " + settings_.host + " " + end);
}

void NodeAgent::sweep(const std::string& why) {
  const auto reaped = [&](pid_t pid, int status) {
    const auto found = std::ranges::find(ranks_, pid, &Rank::pid);
    if (found != ranks_.end()) on_rank_exit(*found, status, why);
  };
  if (sweep_round(reaped) == Children::none) return finish();
  timer_ = loop_.after(kSweepPause, [this, why] { sweep(why); });
}

void NodeAgent::finish() {
  loop_.forget(guard_watch_);
  guard_ = Guard{};
  store_ = StoreSocket{};
  for (Rank& rank : ranks_) {
    // A guard that was killed before it could report the start leaves a rank that nobody saw.
    if (!rank.ended) on_rank_exit(rank, W_EXITCODE(0, SIGKILL), "the end of the rank was not seen");
  }
  report_(Drained{});
}

std::optional<rlimit> raise_descriptor_limit() {
  rlimit before{};
  if (getrlimit(RLIMIT_NOFILE, &before) != 0 || before.rlim_cur == before.rlim_max) return std::nullopt;
  const rlimit raised{before.rlim_max, before.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) return std::nullopt;
  return before;
}

}  // namespace ddp::agent
