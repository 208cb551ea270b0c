#include "jobenv/agent/node/node_agent.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/node/rank_environment.hpp"
#include "jobenv/agent/process/caught_signals.hpp"
#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

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
  return fail_errno(ExitCode::run_failed, "cannot create the folder '" + folder.string() + "'",
                    error.value());
}

/// Before ranks that MPI may not connect are looked for: where they are connected that costs their start
/// time.
constexpr std::chrono::milliseconds kPauseIfAlone{10};
constexpr std::chrono::milliseconds kPauseIfConnected{200};

/// Ranks of Open MPI that notice the death of another one abort, and Slurm kills the agents then: not before
/// those have reported that death.
constexpr const char* kOpenMpiAbortDelay = "OMPI_MCA_mpi_abort_delay";
constexpr const char* kSecondsOfDelay = "1";

/// The socket that srun's pmi2 has left open; pmix and others need none.
void pass_manager_on(EnvMap& environment, GuardedProcess& process) {
  if (!environment.has(kOpenMpiAbortDelay)) environment.set(kOpenMpiAbortDelay, kSecondsOfDelay);
  const auto socket = parse_whole_number(environment.get("PMI_FD").value_or(""));
  if (socket && fcntl(static_cast<int>(*socket), F_GETFD) >= 0)
    process.inherited.push_back(static_cast<int>(*socket));
}

/// Where a rank of the plan is in an attempt that may do without some nodes.
RankPlace place_of(const RankPlace& planned, const StartAttempt& start, const LaunchPlan& plan) {
  const auto& nodes = start.planned_nodes;
  const auto node = static_cast<int>(std::ranges::find(nodes, planned.node_rank) - nodes.begin());
  return {node * plan.tasks_per_node + planned.local_rank, planned.local_rank, node};
}

}  // namespace

NodeAgent::NodeAgent(EventLoop& loop, NodeAgentSettings settings, Report report)
    : loop_(loop),
      settings_(std::move(settings)),
      report_(std::move(report)),
      folder_(std::filesystem::path(settings_.plan.run_dir)),
      hang_detector_(loop, settings_.plan, report_),
      observer_(loop, settings_.plan, settings_.environment, report_,
                [this](int rank) { return log_watch_.printed(rank); }),
      stacks_(loop, settings_.host, report_,
              [this](Judgement judgement) {
                hang_detector_.hold_judgement(judgement);
                observer_.hold_judgement(judgement);
              }),
      log_watch_(loop),
      lone_mpi_watch_(loop, report_),
      pmix_connections_(loop, settings_.environment),
      processes_(loop, settings_.plan.waits,
                 {[this](const GuardReport& guard_report) { on_guard_report(guard_report); },
                  [this](pid_t pid, int status, const std::string& why) { on_swept(pid, status, why); },
                  [this] { finish(); }}) {}

Hello NodeAgent::hello() const {
  Hello hello{settings_.host, {}, settings_.ranks};
  if (settings_.plan.nodes == 1 || settings_.plan.interface == "auto") return hello;
  const auto address = resolve_interface(settings_.plan.interface);
  if (address) {
    hello.interface = *address;
  } else {
    hello.problem = address.error().message + "; " + address.error().hint;
  }
  return hello;
}

void NodeAgent::handle(const HeadMessage& message) {
  std::visit(Overloaded{[this](const SetUpNode&) { set_up(); },
                        [this](const BindStore& request) { bind_store(request); },
                        [this](const StartAttempt& request) { start(request); },
                        [this](const StopRanks& request) { stop(request); },
                        [this](const HoldRanks&) { report_(hold_ranks(living_pages())); },
                        [this](const ReleaseRanks&) { release_ranks(living_pages()); },
                        [this](const StopAfter& request) { stop_ranks_after(living_pages(), request); },
                        [this](const TakeStacks& request) { take_stacks(request); },
                        [this](const KillRanks& request) { kill(request.notice); },
                        [this](const PmiPairsGathered& gathered) {
                          if (process_manager_) process_manager_->take(gathered.pairs);
                        },
                        [this](const PmiBarrierEnded&) {
                          if (process_manager_) process_manager_->end_barrier();
                        },
                        [](const auto&) {}},  // Welcome, Ping and End concern the connection
             message);
}

void NodeAgent::set_up() {
  if (is_set_up_) return report_(NodeSetUp{});
  if (setup_failure_) return report_(*setup_failure_);  // head did not hear it, or not in this attempt
  if (setup_) return;  // of an attempt that has ended meanwhile: its answer will do
  setup_.emplace(loop_, settings_.plan, settings_.ranks.front().node_rank,
                 [this](const tl::expected<ShellState, AgentFailed>& state) {
                   if (state) return take_over_setup(*state);
                   setup_failure_ = state.error();
                   if (settings_.plan.nodes > 1)
                     setup_failure_->what = settings_.host + ": " + setup_failure_->what;
                   report_(*setup_failure_);
                 });
  const auto started = setup_->start(settings_.environment, settings_.descriptor_limit);
  if (started) return;
  setup_.reset();  // it can be tried again
  report_(AgentFailed{started.error().message});
}

void NodeAgent::take_over_setup(const ShellState& state) {
  is_set_up_ = true;
  take_over(state);
  settings_.environment = state.environment;
  settings_.descriptor_limit = state.limits.at(RLIMIT_NOFILE);
  report_(NodeSetUp{});
}

void NodeAgent::bind_store(const BindStore& request) {
  auto store = bind_store_socket(request.address, settings_.plan.program);
  if (!store) return report_(AgentFailed{store.error().message});
  store_ = std::move(*store);
  report_(StoreBound{store_.port});
}

void NodeAgent::start(const StartAttempt& request) {
  attempt_ = request.attempt;
  external_signal_ = 0;
  const auto prepared = prepare(request);
  if (!prepared) return report_(AgentFailed{prepared.error().message});
  std::vector<GuardedProcess> processes;
  for (const Rank& rank : ranks_) processes.push_back(rank.process);
  if (settings_.plan.traits.agents_return) {
    claim_.reset();
    claim_ = HostClaim::on_ranks(settings_.plan.run_dir, settings_.ranks.front().node_rank);
    if (!claim_) return report_(AgentFailed{"ranks of an earlier attempt are still running there"});
  }
  const auto started = processes_.start(processes, claim_ ? claim_->descriptor() : -1);
  if (process_manager_) process_manager_->on_forked();
  if (!started) return report_(AgentFailed{started.error().message});
  // Rank 0 serves the store from now on: with no copy here, its death closes the port.
  if (settings_.plan.program == ProgramKind::trainer) store_ = StoreSocket{};
}

Expected<void> NodeAgent::prepare(const StartAttempt& request) {
  for (const auto& folder : {folder_.logs(attempt_), folder_.exits(attempt_)}) {
    if (auto made = make_folder(folder); !made) return made;
  }
  if (settings_.plan.program == ProgramKind::command) {
    if (auto made = make_folder(folder_.output()); !made) return made;
  }
  const auto secrets = load_secrets(folder_.secrets());
  if (!secrets) return tl::unexpected(secrets.error());
  hang_detector_.forget_all();
  observer_.forget_all();
  log_watch_.forget_all();
  lone_mpi_watch_.forget_all();
  process_manager_.reset();
  segments_.reset();
  if (settings_.plan.process_manager != ProcessManagerKind::none) segments_.emplace(loop_);
  ranks_.clear();
  for (const RankPlace& planned : settings_.ranks) {
    Rank& rank = ranks_.emplace_back();
    rank.place = place_of(planned, request, settings_.plan);
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
  GuardedProcess& process = rank.process;
  process.id = rank.place.rank;
  process.mark = "DDPSUBMIT_RANK=" + std::to_string(rank.place.rank);
  process.inherited = {rank.progress->descriptor()};
  env.set(kProgressFd, std::to_string(rank.progress->descriptor()));
  if (rank.place.rank == 0) process.input = settings_.input;
  if (rank.place.rank == 0 && plan.program == ProgramKind::trainer) {
    process.inherited.push_back(store_.descriptor.get());
    env.set(kStoreFd, std::to_string(store_.descriptor.get()));
  }
  if (plan.process_manager == ProcessManagerKind::pmi1) {
    if (!process_manager_) process_manager_.emplace(loop_, job, report_);
    if (auto equipped = process_manager_->equip(plan, rank.place.rank, process, env); !equipped)
      return equipped;
  }
  if (plan.process_manager == ProcessManagerKind::launcher) pass_manager_on(env, process);
  rank.threads = env.get(kThreads).value_or("");
  process.argv = plan.argv;
  rank.path = env.get("PATH").value_or(kDefaultPath);
  process.programs = find_programs(plan.argv.front(), rank.path);
  process.environment = env.entries();
  process.work_dir = plan.work_dir;
  process.out = folder_.out(attempt_, rank.place.rank);
  process.err = folder_.err(attempt_, rank.place.rank);
  process.blocked_signals = signals_blocked_in(plan);
  process.descriptor_limit = settings_.descriptor_limit;
  process.tracer = getpid();
  return {};
}

Pages NodeAgent::living_pages() {
  Pages pages;
  for (Rank& rank : ranks_) {
    if (!rank.ended && rank.progress) pages.push_back(&rank.progress->page());
  }
  return pages;
}

void NodeAgent::stop(const StopRanks& request) {
  stop_ranks_after(living_pages(), {1, request.signal});  // who heeds its page stops after its next step
  if (settings_.plan.program == ProgramKind::trainer || request.signal == external_signal_) return;
  if (segments_) segments_->look();  // while the ranks have them mapped
  if (request.signal != SIGINT) return processes_.signal(request.signal);
  for (Rank& rank : ranks_) {
    if (!rank.ended && rank.pid > 0)
      send_signal(!heeds_stops(rank) && catches_signal(rank.pid, SIGINT) ? SIGINT : SIGTERM, rank);
  }
}

void NodeAgent::send_signal(int signal, Rank& rank) {
  rank.last_signal = signal;
  processes_.signal(rank.place.rank, signal);
}

void NodeAgent::take_stacks(const TakeStacks& request) {
  std::vector<RankStacks::Target> targets;
  for (const Rank& rank : ranks_) {
    const bool wanted = request.ranks.empty() || std::ranges::count(request.ranks, rank.place.rank) > 0;
    if (wanted && !rank.ended && rank.pid > 0)
      targets.push_back({rank.place.rank, rank.pid, &rank.progress->page(), rank.path});
  }
  stacks_.take(request.id, targets, settings_.environment);
}

void NodeAgent::on_guard_report(const GuardReport& report) {
  const auto found = std::ranges::find(ranks_, report.id, [](const Rank& rank) { return rank.place.rank; });
  if (found == ranks_.end()) return;
  Rank& rank = *found;
  switch (report.kind) {
    case GuardReport::Kind::started:
      rank.pid = report.value;
      rank.started = std::chrono::system_clock::now();
      watch(rank);
      return report_(RankStarted{rank.place.rank, rank.pid, rank.place.rank == 0 ? rank.threads : ""});
    case GuardReport::Kind::start_failed:
      rank.start_failure = describe_start_failure(rank.process, report.step, report.value);
      return;
    case GuardReport::Kind::exited:
      rank.killed = report.killed;
      rank.outlived = report.outlived;
      return on_rank_exit(rank, report.value, failure_of(rank));
    case GuardReport::Kind::alive:
      return;
  }
}

void NodeAgent::watch(Rank& rank) {
  const LaunchPlan& plan = settings_.plan;
  const int number = rank.place.rank;
  hang_detector_.watch(number, rank.pid, rank.progress->page());
  observer_.watch(number, rank.pid, rank.progress->page());
  log_watch_.watch(folder_, attempt_, number);
  if (process_manager_) process_manager_->on_started(number, rank.pid);
  if (segments_) segments_->watch(rank.pid);
  if (plan.process_manager == ProcessManagerKind::launcher) pmix_connections_.watch(rank.pid);
  if (plan.program == ProgramKind::command && plan.nodes * plan.tasks_per_node > 1)
    lone_mpi_watch_.watch(number, rank.pid, process_manager_ ? kPauseIfConnected : kPauseIfAlone);
}

/// What is told of a rank beside its exit code.
std::string NodeAgent::failure_of(const Rank& rank) const {
  if (!rank.start_failure.empty() || !process_manager_) return rank.start_failure;
  return process_manager_->failure_of(rank.place.rank);
}

void NodeAgent::note_external_signal(int signal) {
  external_signal_ = signal;
  processes_.expect_stop();
}

/// It learns of a stop from its page, and ignores TERM.
bool NodeAgent::heeds_stops(const Rank& rank) {
  return (rank.progress->page().uses.load() & ProgressPage::kHeedsStops) != 0;
}

bool NodeAgent::wants_notice(const Rank& rank) const {
  return settings_.plan.program == ProgramKind::command && !heeds_stops(rank) &&
         catches_signal(rank.pid, SIGTERM);
}

void NodeAgent::kill(std::chrono::milliseconds notice) {
  if (segments_) segments_->look();  // while the ranks have them mapped
  std::vector<Rank*> noticed;
  for (Rank& rank : ranks_) {
    if (notice.count() > 0 && !rank.ended && rank.pid > 0 && wants_notice(rank)) noticed.push_back(&rank);
  }
  if (noticed.empty()) return processes_.kill();
  for (Rank& rank : ranks_) {
    rank.has_notice = std::ranges::count(noticed, &rank) > 0;
    if (!rank.ended) send_signal(rank.has_notice ? SIGTERM : SIGKILL, rank);
  }
  kill_timer_ = loop_.after(notice, [this] { processes_.kill(); });
}

void NodeAgent::on_rank_exit(Rank& rank, int status, const std::string& what) {
  if (std::exchange(rank.ended, true)) return;
  if (process_manager_) process_manager_->on_ended(rank.place.rank);
  hang_detector_.forget(rank.place.rank);
  observer_.forget(rank.place.rank);
  log_watch_.forget(rank.place.rank);
  lone_mpi_watch_.forget(rank.place.rank);
  pmix_connections_.forget(rank.pid);
  const ExitRecord record = make_record(rank, status);
  rank.succeeded = record.succeeded();
  if (segments_) {
    if (!rank.succeeded) segments_->look();  // while the others have them mapped
    segments_->forget(rank.pid);
  }
  const auto saved = save_file(folder_.exit_record(attempt_, record.rank), to_json(record).dump(2) + "\n",
                               Durability::synced);
  // A success that left no record is none.
  const Recurrence recurrence = rank.start_failure.empty() ? Recurrence::possible : Recurrence::certain;
  report_(RankExited{record, !saved && record.succeeded() ? saved.error().message : what, recurrence,
                     first_step_of(rank.progress->page())});
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
  const auto obeys = [&record](int sent) {
    return sent != 0 && (record.signal == sent || record.code == 128 + sent);
  };
  const bool answers_notice = rank.has_notice && !record.signal;
  const bool obeyed = answers_notice || obeys(rank.last_signal) || obeys(processes_.last_signal());
  record.ended_by = obeyed ? EndedBy::agent : EndedBy::itself;
  const ProgressPage& page = rank.progress->page();
  record.last_step = step_of(page);
  record.phase = phase_of(page);
  if (const auto taken = page.checkpoint_milliseconds.load(std::memory_order_relaxed); taken > 0)
    record.checkpoint_milliseconds = taken;
  record.killed = rank.killed;
  record.outlived = rank.outlived;
  record.started = rank.started;
  record.ended = std::chrono::system_clock::now();
  record.stderr_tail = load_log_tail(folder_.err(attempt_, rank.place.rank));
  return record;
}

void NodeAgent::on_swept(pid_t pid, int status, const std::string& why) {
  const auto found = std::ranges::find(ranks_, pid, &Rank::pid);
  if (found == ranks_.end()) return;
  on_rank_exit(*found, status, why.empty() ? why : "the guard of the ranks on " + settings_.host + " " + why);
}

void NodeAgent::finish() {
  loop_.cancel(kill_timer_);
  store_ = StoreSocket{};
  claim_.reset();
  for (Rank& rank : ranks_) {
    // A guard that was killed before it could report the start leaves a rank that nobody saw.
    if (!rank.ended) on_rank_exit(rank, W_EXITCODE(0, SIGKILL), "the exit status of the rank is unknown");
  }
  remove_segments();
  report_(Drained{});
}

/// Ranks that end well leave only what they mean to leave.
void NodeAgent::remove_segments() {
  if (segments_ && !std::ranges::all_of(ranks_, &Rank::succeeded)) segments_->remove();
}

}  // namespace ddp::agent
