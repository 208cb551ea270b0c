#include "jobenv/agent/controller/run_controller.hpp"

#include <algorithm>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/controller/attempt_events.hpp"
#include "jobenv/agent/controller/observed_failures.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A scheduler's signal reaches head, agents and ranks at about the same time, in any order.
constexpr seconds kNotice{1};
/// A rank that throws closes its sockets before it ends: its peers may be heard first.
constexpr seconds kBlame{1};
/// Agents look about once a second, so what they hear of one hang is up to two looks apart.
constexpr seconds kStall{2};
/// For programs to clean up when another rank has failed.
constexpr milliseconds kKillNotice{2'000};
/// Where none was lost since, all that live are connected; and who has waited long once waits for those that
/// come together.
constexpr seconds kShortAbsence{1};
/// After that long people ask what a start waits for.
constexpr seconds kLate{5};
/// For the answers about stacks to travel, with kStackPatience less than the 5 s that a restart may wait.
constexpr milliseconds kStackJourney{500};

}  // namespace

RunController::RunController(LaunchPlan plan, Attempt attempt)
    : plan_(std::move(plan)),
      attempt_(std::move(attempt)),
      planned_nodes_(plan_.nodes),
      roll_call_(plan_, attempt_.hosts),
      succession_(plan_) {}

std::vector<RunAction> RunController::begin() {
  // Set-up lines may take as long as they need: their end is seen.
  if (!joins_after_setup()) await_agents();
  await_absent(plan_.waits.absence);
  if (plan_.time_limit && plan_.traits.time_limit == TimeLimitBy::head)
    arm(RunTimer::time_limit, *plan_.time_limit);
  return std::exchange(actions_, {});
}

std::vector<RunAction> RunController::handle(const RunEvent& event) {
  if (stage_ != Stage::ended) {
    std::visit([this](const auto& alternative) { on(alternative); }, event);
  }
  return std::exchange(actions_, {});
}

// ---- agents

void RunController::on(const AgentJoined& event) {
  if (stage_ != Stage::gathering) return;
  if (const auto& hello = event.hello; !hello.problem.empty()) {
    if (!plan_.fewer_nodes.empty()) return;  // the run may do without this host
    return fail_and_kill("host " + hello.host + ": " + hello.problem, hello.host, hello.recurrence);
  }
  if (const auto added = roll_call_.add(event); !added) {
    return fail_and_kill(added.error().message, event.hello.host, Recurrence::certain);
  }
  if (roll_call_.complete()) return muster();
  await_absent(absence_);
}

void RunController::await_agents() {
  arm(RunTimer::gather, plan_.rendezvous_timeout);
  if (plan_.rendezvous_timeout > 2 * kLate) arm(RunTimer::late, kLate);
}

/// From the last agent that came: others may be on their way, too.
void RunController::await_absent(milliseconds delay) {
  absence_ = delay;
  if (!plan_.fewer_nodes.empty()) arm(RunTimer::absence, delay);
}

void RunController::muster() {
  agents_.take(roll_call_.agents());
  if (plan_.setup.empty() || joins_after_setup()) return start_binding();
  stage_ = Stage::setting_up;
  for (const AgentId id : agents_.ids()) {
    in_setup_.insert(id);
    actions_.push_back(SendToAgent{id, SetUpNode{}});
  }
}

void RunController::on_message(AgentId agent, const NodeSetUp&) {
  if (stage_ != Stage::setting_up || in_setup_.erase(agent) == 0 || !in_setup_.empty()) return;
  start_binding();
}

/// With as many of the nodes that are there as the plan allows. The others are taken back by the next
/// attempt.
bool RunController::go_on_with_fewer() {
  const auto present = std::ssize(roll_call_.present_nodes());
  const auto fitting = std::ranges::find_if(plan_.fewer_nodes.rbegin(), plan_.fewer_nodes.rend(),
                                            [present](int nodes) { return nodes <= present; });
  if (fitting == plan_.fewer_nodes.rend()) return false;
  record(describe_missing_nodes(roll_call_.missing_hosts(), *fitting, plan_));
  roll_call_.reduce_to(*fitting);
  plan_.nodes = *fitting;
  muster();
  return true;
}

void RunController::start_binding() {
  stage_ = Stage::binding;
  arm(RunTimer::gather, plan_.rendezvous_timeout);
  const AgentId first = *roll_call_.agent_of(0);
  master_address_ = roll_call_.interface_of(first);
  actions_.push_back(SendToAgent{first, BindStore{master_address_}});
}

void RunController::on(const AgentSaid& event) {
  if (!agents_.contains(event.agent) && !std::holds_alternative<Signalled>(event.message)) return;
  std::visit([&](const auto& message) { on_message(event.agent, message); }, event.message);
}

void RunController::on_message(AgentId, const StoreBound& message) {
  if (stage_ != Stage::binding) return;
  stage_ = Stage::running;
  agent_lost_ = false;
  master_port_ = message.port;
  if (plan_.requeue && plan_.program == ProgramKind::command) arm(RunTimer::steps, plan_.waits.idle);
  // The ranks start before the ledger is synced.
  for (const AgentId id : agents_.ids()) actions_.push_back(SendToAgent{id, start_for(id)});
  record(event::AttemptStarted{
      .master_address = master_address_, .master_port = master_port_, .hosts = roll_call_.hosts()});
}

void RunController::on_message(AgentId agent, const RankStarted& message) {
  record(event::RankStarted{.rank = message.rank,
                            .host = agents_.at(agent).host,
                            .pid = message.pid,
                            .omp_num_threads = message.threads});
}

void RunController::on_message(AgentId agent, const RankExited& message) {
  if (!agents_.add(message.record)) return;
  record(describe_rank_exit(message.record));
  note_advance(message.record.rank);
  judge_first_step(agent, message.record.rank, message.first_step);
  if (stage_ == Stage::running && hang_judge_.begin_again()) arm(RunTimer::stall, kStall);
  if (stage_ == Stage::stopping || order_.stop()) {
    judge_stopping(message);
  } else {
    judge_running(message);
  }
  if (stage_ != Stage::killing && agents_.all_ranks_accounted()) arm(RunTimer::drain, plan_.waits.drain);
  finish_if_done();
}

void RunController::on_message(AgentId agent, const RanksSeen& message) {
  for (const RankReading& reading : message.ranks) judge_first_step(agent, reading.rank, reading.first_step);
  if (agent == roll_call_.agent_of(0)) announce_again();  // the beat of asking once more
}

void RunController::on_message(AgentId agent, const RankStalled& message) {
  if (stage_ != Stage::running) return;
  if (hang_judge_.take(StalledRank{agents_.at(agent).host, message})) arm(RunTimer::stall, kStall);
}

void RunController::on_message(AgentId agent, const RankIdle& message) {
  if (stage_ != Stage::running) return;
  if (hang_judge_.take(IdleRank{agents_.at(agent).host, message}))
    arm(RunTimer::stall, std::max<milliseconds>(kStall, 2 * plan_.waits.live));
}

void RunController::on_message(AgentId, const RankAdvances& message) {
  note_advance(message.rank);
}

void RunController::on_message(AgentId agent, const StacksTaken& message) {
  if (hang_judge_.take(agent, message)) judge_hang();
}

void RunController::on(const StacksWanted& event) {
  if (stage_ == Stage::running || stage_ == Stage::stopping) broadcast(TakeStacks{event.id, event.ranks});
}

void RunController::on_message(AgentId, const PmiPairsPut& message) {
  const bool ranks_run = stage_ == Stage::running || stage_ == Stage::stopping;
  if (!ranks_run || pmi_exchange_.put(message.pairs)) return;
  fail_and_kill("MPI's ranks have put more than " + std::to_string(kMaxPmiPairs >> 20) +
                    " MiB into the key-value space of PMI",
                "", Recurrence::certain);
}

void RunController::on_message(AgentId agent, const PmiBarrierReached&) {
  if (!pmi_exchange_.arrive(agent, agents_.size())) return;
  for (const PmiPairs& piece : split_pairs(pmi_exchange_.finish())) broadcast(PmiPairsGathered{piece});
  broadcast(PmiBarrierEnded{});
}

void RunController::on_message(AgentId, const LoneMpiRank& message) {
  if (lone_mpi_ranks_.add(message))
    record(event::MpiNotConnected{.message = lone_mpi_ranks_.describe(plan_)});
}

void RunController::on_message(AgentId agent, const Drained&) {
  agents_.mark_drained(agent);
  finish_if_done();
}

void RunController::on_message(AgentId agent, const AgentFailed& message) {
  agents_.mark_lost(agent);
  agents_.mark_drained(agent);
  // One that returns lives on, and can be asked again.
  const auto recurrence = plan_.traits.agents_return ? message.recurrence : Recurrence::certain;
  fail_and_kill({message.what, Phrase::statement, agents_.at(agent).host, std::nullopt, message.output_tail,
                 recurrence});
}

void RunController::on_message(AgentId, const Signalled& message) {
  if (stage_ == Stage::stopping) return;
  if (stage_ == Stage::killing || stage_ == Stage::between) {
    // When a task is lost, the signal is srun's, which ends the step.
    if (!agents_.any_lost()) on(StopWanted{StopReason::preempted, message.signal});
    return;
  }
  wait_for_notice();
  // Head asks the scheduler why as soon as it hears of this.
  const auto certainty = !plan_.traits.scheduler.empty() ? Certainty::asked : Certainty::known;
  accept_stop({StopReason::preempted, message.signal, std::nullopt, certainty}, StopOrder::Teller::agent);
}

void RunController::on(const AgentLost& event) {
  if (stage_ == Stage::gathering) return roll_call_.remove(event.agent);
  if (!agents_.contains(event.agent)) return;
  const AgentStates::Agent& agent = agents_.at(event.agent);
  agents_.mark_lost(event.agent);
  agent_lost_ = true;
  if (agreement_.forget(event.agent)) on_agreement();
  if (hang_judge_.forget(event.agent)) judge_hang();
  if (agent.drained || stage_ == Stage::between) return;
  // Agents do not die of TERM: it is because of this loss that srun has spread the signal.
  if (!order_.withdraw_rumour() && (order_.stop() || agents_.reported_all(agent))) return finish_if_done();
  fail(FirstFailure::Weight::real, make_loss_failure(event, agent.host, plan_));
  if (stage_ == Stage::killing) return finish_if_done();
  if (plan_.traits.stop == StopReaches::everyone) wait_for_notice();
  kill_all();
  if (!plan_.traits.sees_end_of_agents) finish_if_done();  // elsewhere that end follows
}

/// Set-up lines may take as long as they need, as in begin().
void RunController::on(const LauncherStarted&) {
  if (stage_ == Stage::gathering && !joins_after_setup()) await_agents();
}

void RunController::on(const LauncherEnded& event) {
  agents_.mark_swept(event.swept_host);
  if (stage_ != Stage::gathering && stage_ != Stage::binding)
    return;  // the agents' connections tell the rest
  if (plan_.traits.stop == StopReaches::everyone) wait_for_notice();
  const bool in_setup = plan_.traits.setup == SetupPlace::before_agents;  // set-up lines fail again
  const auto recurrence = in_setup ? Recurrence::certain : Recurrence::possible;
  fail(FirstFailure::Weight::real, make_launcher_failure(event, roll_call_, recurrence));
  kill_all();
  finish_if_done();
}

void RunController::on(const Superseded& event) {
  const std::string what = "attempt " + std::to_string(event.attempt) + " was claimed by another head";
  if (stage_ == Stage::between) return end_run("; " + what);
  fail_and_kill(what, "", Recurrence::certain);
}

// ---- time

void RunController::on(const TimerExpired& event) {
  switch (event.timer) {
    case RunTimer::late:
      if (const auto missing = roll_call_.missing_hosts(); stage_ == Stage::gathering && !missing.empty())
        record(event::NodesAwaited{.hosts = missing,
                                   .seconds = static_cast<int>((plan_.rendezvous_timeout - kLate).count())});
      return;
    case RunTimer::absence:
      if (stage_ == Stage::gathering && !go_on_with_fewer()) absence_ = kShortAbsence;
      return;
    case RunTimer::gather:
      if (stage_ == Stage::binding)
        return fail_and_kill("the agent of rank 0 did not bind a port for the store", "",
                             Recurrence::possible);
      if (stage_ == Stage::gathering && !go_on_with_fewer())
        fail_and_kill(make_absence_failure(roll_call_, event.turned_away));
      return;
    case RunTimer::time_limit:
      return on(StopWanted{StopReason::time_limit, 0});
    case RunTimer::notice:
      order_.end_notice();
      if (stage_ == Stage::running && !failures_.empty()) kill_all();
      return finish_if_done();
    case RunTimer::answer:
      return on(StopStands{});
    case RunTimer::blame:
      if (stage_ == Stage::running) kill_all();
      return;
    case RunTimer::steps:
      if (stage_ == Stage::running && first_steps_.empty())
        record(event::StepsNotReported{.message = describe_missing_steps(plan_)});
      return;
    case RunTimer::stall:
      return look_at_hang();
    case RunTimer::stacks:
      return judge_hang();
    case RunTimer::hold:
      return give_up_agreement();
    case RunTimer::grace:
      if (stage_ == Stage::stopping) kill_all();
      return;
    case RunTimer::exit:
      if (stage_ == Stage::running && !agents_.all_ranks_accounted())
        fail_and_kill(make_late_failure(agents_, plan_.exit_timeout));
      return;
    case RunTimer::drain:
      return finish();
  }
}

// ---- ranks

/// Ranks that resume at different steps train something else than what the program says.
void RunController::judge_first_step(AgentId agent, int rank, std::optional<std::uint64_t> step) {
  if (stage_ != Stage::running || !step) return;
  if (auto failure = first_steps_.take(rank, agents_.at(agent).host, *step))
    fail_and_kill(std::move(*failure));
}

void RunController::judge_running(const RankExited& message) {
  const RankVerdict verdict = judge_rank(message.record, message.what, plan_);
  Failure cause = make_failure(message, plan_);
  if (verdict == RankVerdict::failure && !failures_.has_real())
    cause.before = render_early_ends(agents_, plan_);
  switch (verdict) {
    case RankVerdict::killed:
      return;
    case RankVerdict::success:
      if (agents_.records().size() == 1) arm(RunTimer::exit, plan_.exit_timeout);
      return;
    case RankVerdict::peer_lost:
      if (failures_.empty()) arm(RunTimer::blame, kBlame);
      return fail(FirstFailure::Weight::peer_lost, cause);
    case RankVerdict::terminated:
      fail(FirstFailure::Weight::real, cause);
      if (stage_ == Stage::running) wait_for_notice();
      return;
    case RankVerdict::failure:
      fail(FirstFailure::Weight::real, cause);
      if (stage_ == Stage::running) kill_all();
  }
}

/// Before anything is done about a hang, it is seen where all ranks are.
void RunController::look_at_hang() {
  if (stage_ != Stage::running || !failures_.empty()) return;
  const auto agents = agents_.listeners();
  if (!hang_judge_.begin_look(agents_.living_ranks(), {agents.begin(), agents.end()})) return;
  broadcast(TakeStacks{hang_judge_.look_id(), {}});
  arm(RunTimer::stacks, kStackPatience + kStackJourney);
}

/// Nobody is to blame yet when all that are stalled wait for one that may be at work.
void RunController::judge_hang() {
  if (!hang_judge_.looks()) return;
  auto verdict = hang_judge_.judge(agents_.living_ranks());
  if (!verdict || stage_ != Stage::running || !failures_.empty()) return;
  if (const auto ends = render_early_ends(agents_, plan_); !ends.empty())
    verdict->cause.what += " after " + ends;
  if (plan_.hang_answer == HangAnswer::tell || verdict->evidence == Evidence::guessed)
    return suspect(verdict->cause);
  fail(FirstFailure::Weight::real, verdict->cause);
  kill_all();
  for (const auto& [number, rank] : hang_judge_.stalled().ranks()) record(describe_stalled_rank(rank));
}

/// Told once, until all ranks advance again.
void RunController::suspect(const Failure& cause) {
  if (hang_judge_.begin_telling())
    record(event::HangSuspected{.message = render_cause(cause, plan_.program)});
}

void RunController::note_advance(int rank) {
  if (hang_judge_.remove(rank)) record(event::HangOver{});
}

/// Of a rank that was asked to stop only the trainer's own failures count, and what no program is to blame
/// for.
void RunController::judge_stopping(const RankExited& message) {
  if (message.record.code == kExitStopped ||
      judge_rank(message.record, message.what, plan_) != RankVerdict::failure)
    return;
  if (plan_.program == ProgramKind::command && message.what.empty()) return;
  fail(FirstFailure::Weight::real, make_failure(message, plan_));
  if (stage_ == Stage::stopping) kill_all();
}

void RunController::fail(FirstFailure::Weight weight, Failure cause) {
  failures_.add(weight, std::move(cause));
}

void RunController::fail_and_kill(const std::string& what, const std::string& host, Recurrence recurrence) {
  fail_and_kill(Failure{what, Phrase::statement, host, std::nullopt, {}, recurrence});
}

void RunController::fail_and_kill(Failure cause) {
  fail(FirstFailure::Weight::real, std::move(cause));
  if (stage_ != Stage::killing) kill_all();
  finish_if_done();
}

void RunController::wait_for_notice() {
  if (order_.await_notice()) arm(RunTimer::notice, kNotice);
}

void RunController::kill_all() {
  if (starts()) agents_.write_off();
  const bool ranks_run = stage_ == Stage::running || stage_ == Stage::stopping;
  const auto notice = stage_ == Stage::running ? kKillNotice : milliseconds(0);
  stage_ = Stage::killing;
  broadcast(KillRanks{notice});
  if (ranks_run) record(event::KillOrdered{});
  arm(RunTimer::drain, plan_.waits.drain);
}

// ---- the end

bool RunController::starts() const {
  return stage_ == Stage::gathering || stage_ == Stage::setting_up || stage_ == Stage::binding;
}

void RunController::finish_if_done() {
  if (starts() || stage_ == Stage::between || stage_ == Stage::ended || order_.awaits_word()) return;
  if (agents_.all_done()) finish();
}

void RunController::finish() {
  AttemptOutcome outcome{agents_.records(), order_.stop(), std::nullopt, {}};
  if (!failures_.empty()) outcome.cause = failures_.cause();
  add_last_words(outcome);
  record(describe_attempt_end(outcome, plan_));
  next_step(outcome);
}

// ---- what follows

/// A failure may be followed by another attempt. Not where an agent lives and has ranks that nothing ends:
/// they would meet those of the next attempt.
void RunController::next_step(const AttemptOutcome& outcome) {
  succession_.take(outcome);
  stage_ = Stage::between;
  const bool may_restart = plan_.max_restarts > 0 && !agents_.any_holds_ranks();
  if (!succession_.has_failed(plan_) || !may_restart) return end_run("");
  actions_.push_back(FindCheckpoint{});
}

void RunController::on(const CheckpointFound& event) {
  if (stage_ != Stage::between) return;
  const auto [next, remark] = succession_.decide(event.step, plan_);
  if (next == RestartPolicy::Next::end) return end_run(remark);
  if (order_.late()) return stop_between(*order_.late());
  actions_.push_back(ClaimAttempt{});
}

void RunController::on(const ClaimFailed& event) {
  if (stage_ == Stage::between) end_run("; there is no further attempt: " + event.why);
}

void RunController::on(const AttemptClaimed& event) {
  if (stage_ != Stage::between) return;
  if (order_.late()) return stop_between(*order_.late());
  record(succession_.describe_next(event.number, plan_));
  begin_attempt(event);
}

void RunController::stop_between(const StopWanted& stop) {
  succession_.take_stop(stop);
  record(event::StopRequested{.reason = std::string(name_of(stop.reason))});
  end_run("");
}

/// In the same agents if all of them live, and may run another one.
void RunController::begin_attempt(const AttemptClaimed& claim) {
  attempt_.number = claim.number;
  attempt_.nonce = claim.nonce;
  failures_.clear();
  first_steps_ = {};
  hang_judge_ = {};
  order_.begin_attempt();
  agreement_ = {};
  pmi_exchange_ = {};
  lone_mpi_ranks_ = {};
  actions_.push_back(DisarmTimers{});
  const bool all_nodes = std::exchange(plan_.nodes, planned_nodes_) == planned_nodes_;
  const bool may_stay = plan_.process_manager != ProcessManagerKind::launcher;
  if (may_stay && all_nodes && roll_call_.complete() && !agents_.any_lost()) {
    agents_.begin_attempt();
    return start_binding();
  }
  agents_.clear();
  in_setup_.clear();
  roll_call_ = RollCall(plan_, attempt_.hosts);
  stage_ = Stage::gathering;
  actions_.push_back(Relaunch{});
  await_absent(agent_lost_ ? plan_.waits.absence : milliseconds(kShortAbsence));
}

void RunController::end_run(const std::string& remark) {
  stage_ = Stage::ended;
  RunEnd end = succession_.end_run(agents_.unconfirmed_hosts(), remark, plan_);
  end.agent_lost = agent_lost_;
  actions_.push_back(EndRun{std::move(end)});
}

// ---- what is sent and written

StartAttempt RunController::start_for(AgentId agent) const {
  return {attempt_.number,
          attempt_.nonce,
          master_address_,
          master_port_,
          roll_call_.hosts(),
          roll_call_.planned_nodes(),
          roll_call_.interface_of(agent),
          deadline_};
}

void RunController::broadcast(const HeadMessage& message) {
  for (const AgentId id : agents_.listeners()) actions_.push_back(SendToAgent{id, message});
}

}  // namespace ddp::agent
