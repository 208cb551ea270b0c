#include "jobenv/agent/controller/run_controller.hpp"
#include "jobenv/agent/controller/stop_terms.hpp"

// How a run is stopped on request: from the wish to the step that its ranks agree on.

namespace ddp::agent {
namespace {

using std::chrono::seconds;

/// For all agents to say how far their ranks are, which wait meanwhile.
constexpr seconds kHold{5};
/// A busy controller's answer; Slurm's KillWait is 30 s by default.
constexpr seconds kAnswer{20};

}  // namespace

void RunController::on(const StopWanted& event) {
  if (stage_ == Stage::running && agents_.all_ranks_accounted() && failures_.empty())
    return;  // they were done before
  if (is_announcement(event, plan_) && !agreement_.is_reached()) return announce(event);
  order_.count(event);
  if (starts() || stage_ == Stage::running || order_.is_explained_by(event)) {
    accept_stop(event, StopOrder::Teller::head);
  } else if (stage_ == Stage::killing || stage_ == Stage::between) {
    order_.take_late(event);
  }
  if (stage_ != Stage::stopping) return;
  if (order_.requests() > 1) return kill_all();
  if (event.reason == StopReason::detached_submitter) arm(RunTimer::grace, grace_for(event, plan_));
}

void RunController::on(const StopStands&) {
  order_.end_answer();
  if (announced_) announced_->certainty = Certainty::known;
  finish_if_done();
}

void RunController::on(const JobEnds&) {
  if (stage_ == Stage::stopping) arm(RunTimer::grace, grace_of(plan_));
}

/// Takes `stop` as the reason for the end: also of ranks that looked like failures until now.
void RunController::accept_stop(const StopWanted& stop, StopOrder::Teller teller) {
  const bool news = order_.take(stop, teller);
  failures_.clear();
  if (news) record(event::StopRequested{.reason = std::string(name_of(stop.reason))});
  if (stage_ == Stage::running) {
    stage_ = Stage::stopping;
    ask_to_stop(stop);
    arm(RunTimer::grace, grace_for(stop, plan_));
  } else if (stage_ != Stage::stopping) {
    kill_all();
  } else if (stop.time_left) {
    arm(RunTimer::grace, grace_for(stop, plan_));  // the scheduler has told when it ends the job
  }
  if (order_.awaits_answer()) arm(RunTimer::answer, kAnswer);
  finish_if_done();
}

/// The ranks of a trainer agree by themselves on the step after which they stop.
void RunController::ask_to_stop(const StopWanted& stop) {
  if (agreement_.is_reached()) return broadcast(agreement_.verdict(signal_for_ranks(stop, plan_)));
  if (plan_.program == ProgramKind::trainer) return broadcast(StopRanks{signal_for_ranks(stop, plan_)});
  hold_ranks();
}

void RunController::hold_ranks() {
  const auto agents = agents_.listeners();
  agreement_.begin({agents.begin(), agents.end()});
  arm(RunTimer::hold, kHold);
  broadcast(HoldRanks{});
}

/// To ranks that heed it; others run on, and may heed it later.
void RunController::announce(const StopWanted& stop) {
  announced_ = stop;
  announce_again();
}

void RunController::announce_again() {
  if (stage_ == Stage::running && announced_ && !agreement_.is_under_way()) hold_ranks();
}

void RunController::on_message(AgentId agent, const RanksHeld& message) {
  if (agreement_.take(agent, message)) on_agreement();
}

/// All agents have answered.
void RunController::on_agreement() {
  if (stage_ == Stage::stopping)
    return broadcast(agreement_.verdict(signal_for_ranks(*order_.stop(), plan_)));
  if (stage_ != Stage::running || !announced_) return;
  if (agreement_.is_reached()) return on(*announced_);
  release_ranks();
}

void RunController::release_ranks() {
  agreement_ = {};
  broadcast(ReleaseRanks{});
}

/// An agent does not answer: the others' ranks do not wait for it.
void RunController::give_up_agreement() {
  if (!agreement_.is_under_way()) return;
  if (stage_ != Stage::stopping) return release_ranks();
  agreement_ = {};
  broadcast(StopRanks{signal_for_ranks(*order_.stop(), plan_)});
}

}  // namespace ddp::agent
