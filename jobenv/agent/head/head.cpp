#include "jobenv/agent/head/head.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "jobenv/agent/head/log_link.hpp"
#include "jobenv/agent/head/resume_step.hpp"
#include "jobenv/agent/head/rival_job.hpp"
#include "jobenv/agent/node/rank_environment.hpp"
#include "jobenv/agent/process/descriptor_limit.hpp"
#include "jobenv/agent/process/signals_taken.hpp"
#include "jobenv/record/files/write_access.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/plan/plan_file.hpp"

namespace ddp::agent {
namespace {

using std::chrono::system_clock;

/// Between two looks for a cancel after the loss of agents: the ledger of a large run is long.
constexpr std::chrono::seconds kCancelPause{1};

}  // namespace

Head::Head(HeadOptions options, EnvMap environment, Log log)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      log_(std::move(log)),
      starter_(options_.ready_fd, log_),
      records_(RunFolder(options_.run_dir), log_) {}

int Head::run() {
  if (const auto loaded = load(); !loaded)
    return refuse(loaded.error().message, static_cast<int>(loaded.error().code));
  if (const auto code = earlier_last_word()) {
    log_("the run has already ended, and " + plan_.traits.scheduler + " has started " +
         (job_.restart_count > 0 ? "its job again" : "another job of the same submission"));
    return *code;
  }
  const auto rival = find_rival_job(records_.folder(), job_.control_id);
  if (rival && rival_runs(*rival))
    return refuse("job " + *rival + " runs this run already; this one, " + job_.control_id + ", ends",
                  static_cast<int>(ExitCode::run_failed));
  if (const auto claimed = records_.claim(job_, *loop_); !claimed) {
    const auto refusal = claimed.error().context("head cannot claim an attempt");
    const bool taken = refusal.code == ExitCode::still_running;
    return refuse(refusal.message, taken ? static_cast<int>(ExitCode::run_failed) : kExitUnclaimed);
  }
  begin();
  if (!dismissed_) loop_->run();
  if (submitter_watch_ && !records_.unwritten().empty()) submitter_watch_->tell(records_.unwritten());
  return exit_code_;
}

Expected<void> Head::load() {
  auto plan = load_plan(records_.folder());
  if (!plan) return tl::unexpected(plan.error());
  plan_ = std::move(*plan);
  const auto launcher = find_agent_launcher(plan_);
  if (!launcher) return tl::unexpected(launcher.error());
  launcher_ = *launcher;
  host_ = resolve_host_name(plan_, environment_, options_.node_rank.value_or(0));
  auto loop = EventLoop::create(signals_taken(plan_), [this](int signal) { on_signal(signal); });
  if (!loop) return tl::unexpected(loop.error());
  loop_ = std::move(*loop);
  descriptor_limit_ = raise_descriptor_limit();
  find_job();
  make_parts();
  return {};
}

void Head::make_parts() {
  timers_.emplace(
      *loop_,
      [this] {
        if (fleet_) fleet_->hear_out();
      },
      [this](RunTimer timer) { on_timer(timer); });
  live_.emplace(*loop_, records_.folder(), plan_.waits.live, log_);
  stack_desk_.emplace(*loop_, records_.folder(), plan_.waits.live,
                      [this](const RunEvent& event) { post(event); });
  inquiry_ = make_inquiry();
  make_notify_desk();
  lost_nodes_.emplace(make_inquiry(), plan_.traits.scheduler, records_, log_);
  deadline_watch_.emplace(
      *loop_, plan_, *inquiry_, [this](system_clock::time_point deadline) { take_deadline(deadline); },
      [this](int signal) { on_signal(signal); });
  deadline_watch_->start_with(find_deadline());
  stop_inquiry_.emplace(*loop_, plan_, records_, *inquiry_, *lost_nodes_, *deadline_watch_,
                        [this](const RunEvent& event) { post(event); });
  ending_.emplace(*loop_, plan_, records_, *inquiry_, *lost_nodes_, log_,
                  [this](const RunEnd& end, LastWord last_word) { close(end, last_word); });
}

/// The secrets are gone from the folder when the run has ended.
void Head::make_notify_desk() {
  auto secrets = plan_.notify_command.empty() ? Secrets{} : load_secrets(records_.folder().secrets());
  if (!secrets) log_(secrets.error().message);
  notify_desk_.emplace(
      *loop_,
      Notifier::Settings{plan_,
                         environment_,
                         {.run_id = plan_.run_id,
                          .name = plan_.name,
                          .run_dir = plan_.run_dir,
                          .launcher = plan_.launcher,
                          .job_id = job_.control_id,
                          .host = host_,
                          .user = user_name(geteuid())},
                         secrets.value_or(Secrets{}),
                         descriptor_limit_},
      [this](const event::Notified& notified) { records_.write(notified.kName, fields_of(notified)); });
  records_.tell([this](const LedgerEvent& event) { notify_desk_->take(event); });
}

void Head::find_job() {
  job_.hosts = plan_.hosts;
  if (launcher_->find_job != nullptr)
    job_found_ = launcher_->find_job({environment_, plan_, host_, options_.node}, job_);
}

std::unique_ptr<JobInquiry> Head::make_inquiry() {
  if (launcher_->make_inquiry == nullptr) return std::make_unique<JobInquiry>();
  return launcher_->make_inquiry(*loop_, environment_, plan_, job_);
}

std::optional<system_clock::time_point> Head::find_deadline() const {
  if (plan_.traits.time_limit == TimeLimitBy::scheduler) return job_.end_time;
  return plan_.time_limit ? std::optional(system_clock::now() + *plan_.time_limit) : std::nullopt;
}

/// Empty: none is known. That of a job around this run is not its own.
std::string Head::submission_token() const {
  return plan_.traits.scheduler.empty() ? "" : environment_.get("DDPSUBMIT_TOKEN").value_or("");
}

/// A lost node, or a preemption, in the moment in which the job ends makes the scheduler start it again.
std::optional<int> Head::earlier_last_word() const {
  const auto token = submission_token();
  if (job_.restart_count == 0 && token.empty()) return std::nullopt;
  const auto events = load_ledger(records_.folder(), RankEvents::skip).value_or(std::vector<LedgerEvent>{});
  return job_.restart_count > 0 ? find_last_word(events) : find_last_word_of(token, events);
}

void Head::take_deadline(system_clock::time_point deadline) {
  controller_->set_deadline(deadline);
  live_->set_job_end(deadline);
}

/// Before an attempt is claimed.
int Head::refuse(const std::string& why, int exit_code) {
  starter_.refuse(why);
  log_(why);
  return exit_code;
}

/// What cannot be found out does not keep this head from its work: the newest claim counts.
bool Head::rival_runs(const std::string& rival) {
  std::optional<bool> runs;
  inquiry_->find_running(rival, records_.folder().job_output(plan_.launcher, rival), [&](bool running) {
    runs = running;
    loop_->quit();
  });
  if (!runs) loop_->run();
  return *runs;
}

/// Of a claimed attempt.
void Head::begin() {
  begun_ = true;
  began_after_ = find_resume_step(records_.folder(), plan_);  // now that no earlier attempt commits any more
  records_.tell_start(job_, host_, submission_token(), began_after_);
  watch_submitter();
  const bool is_on_record = records_.unwritten().empty();
  // Nobody else has to know where it listens.
  if (is_on_record && plan_.traits.agents_started_by == AgentsStartedBy::head) starter_.announce({});
  const auto events = load_ledger(records_.folder());
  if (events) records_.tell_of_damage(*events);
  notify_desk_->begin(events.value_or(std::vector<LedgerEvent>{}), began_after_);
  const bool trains = plan_.program == ProgramKind::trainer;
  if (events) records_.tell_of_lost_attempt(*events, trains ? std::optional(began_after_) : std::nullopt);
  if (events && !trains) began_after_ = find_furthest_step(*events);
  auto early = find_early_end(events);
  if (const auto launched = early ? Expected<void>() : launch(); !launched)
    early = make_early_failure(launched.error().message, host_);
  if (early) end_early(*early);
  for (const int signal : early_signals_) on_signal(signal);
}

/// What keeps the attempt from having ranks; nullopt: nothing.
std::optional<RunEnd> Head::find_early_end(const Expected<std::vector<LedgerEvent>>& events) const {
  if (!records_.unwritten().empty()) return make_early_failure(records_.unwritten(), host_);
  if (!events) return make_early_failure(events.error().message, host_);
  if (!job_found_) return make_early_failure(job_found_.error().message, host_);
  if (!is_cancel_requested(*events)) return std::nullopt;
  return RunEnd{RunState::cancelled, static_cast<int>(ExitCode::interrupted), "cancelled before it started",
                std::nullopt};
}

Expected<void> Head::launch() {
  link_output();
  begin_views();
  controller_.emplace(plan_, Attempt{records_.attempt(), records_.nonce(), job_.hosts});
  if (const auto deadline = deadline_watch_->deadline()) take_deadline(*deadline);
  loop_->after(plan_.waits.pulse, [this] { check_claim(); });
  fleet_ = launcher_->make_fleet(
      {*loop_,
       {plan_, environment_, host_, job_.id, descriptor_limit_, options_.stdin_fd.value_or(-1)},
       [this](const RunEvent& event) { on_fleet_event(event); },
       [this](const remote::HeadAddress& address) { starter_.announce(address); }});
  for (const RunAction& action : controller_->begin()) perform(action);
  auto launched = fleet_->launch();
  if (launched) deadline_watch_->begin();  // after the agents: what the scheduler is asked can wait
  return launched;
}

/// Of the present attempt.
void Head::begin_views() {
  live_->begin_attempt(records_.attempt());
  stack_desk_->begin_attempt(records_.attempt(), layout_of(plan_).world_size());
}

/// To the logs of the present attempt.
void Head::link_output() {
  if (plan_.output_link.empty() || launcher_->name_output_link == nullptr) return;
  const std::filesystem::path link = launcher_->name_output_link(plan_, environment_);
  const auto& folder = records_.folder();
  auto linked = save_link(link, folder.out(records_.attempt(), 0));
  if (linked) linked = save_link(link_of_stderr(link), folder.err(records_.attempt(), 0));
  if (!linked) log_(linked.error().message);
}

void Head::watch_submitter() {
  if (!options_.attached_fd) return;
  submitter_watch_.emplace(*loop_, *options_.attached_fd, [this] {
    post(StopWanted{StopReason::detached_submitter, 0});
  });
  if (const auto watched = submitter_watch_->begin(); !watched)
    log_("--attached-fd: " + watched.error().message);
}

// ---- events and what follows from them

void Head::on_fleet_event(const RunEvent& event) {
  live_->take(event);
  stack_desk_->take(event);
  notify_desk_->take(event);
  const auto* said = std::get_if<AgentSaid>(&event);
  if (said != nullptr && std::holds_alternative<Signalled>(said->message)) stop_inquiry_->look_at_job();
  post(event);
}

void Head::on_timer(RunTimer timer) {
  post(TimerExpired{timer, fleet_ ? fleet_->turned_away() : 0});
}

void Head::on_signal(int signal) {
  if (!begun_) return early_signals_.push_back(signal);
  terminated_ |= signal == SIGTERM;
  if (ended_) return terminated_ ? ending_->on_term() : void();
  stop_inquiry_->on_signal(signal);
}

void Head::check_claim() {
  if (records_.is_superseded()) return post(Superseded{records_.highest_attempt()});
  if (plan_.traits.stop == StopReaches::record && !controller_->stop_wanted() && records_.cancel_recorded())
    post(StopWanted{StopReason::cancel, 0});
  loop_->after(plan_.waits.pulse, [this] { check_claim(); });
}

/// An event that comes while another is handled waits: the controller's actions stay in their order.
void Head::post(const RunEvent& event) {
  if (std::holds_alternative<AgentLost>(event) && explains_loss())
    events_.push_back(StopWanted{StopReason::cancel, 0});
  events_.push_back(event);
  if (std::exchange(handling_, true)) return;
  while (!events_.empty() && !ended_) {
    const RunEvent next = std::move(events_.front());
    events_.pop_front();
    for (const RunAction& action : controller_->handle(next)) perform(action);
  }
  handling_ = false;
}

/// A cancel does. Thousands of agents may be lost at once, and the first loss decides.
bool Head::explains_loss() {
  const auto now = std::chrono::steady_clock::now();
  if (controller_->stop_wanted() || now - looked_for_cancel_ < kCancelPause) return false;
  looked_for_cancel_ = now;
  return records_.cancel_recorded();
}

void Head::perform(const RunAction& action) {
  std::visit(Overloaded{[this](const SendToAgent& request) { fleet_->send(request.agent, request.message); },
                        [this](const ArmTimer& request) { timers_->arm(request); },
                        [this](const DisarmTimers&) { timers_->disarm(); },
                        [this](const FindCheckpoint&) { look_around(); },
                        [this](const ClaimAttempt&) { claim_next(); },
                        [this](const Relaunch&) { fleet_->relaunch(); },
                        [this](const WriteLedger& request) { records_.write(request.event, request.fields); },
                        [this](const EndRun& request) { end(request.end); }},
             action);
}

/// Before another attempt is decided upon.
void Head::look_around() {
  if (records_.cancel_recorded()) post(StopWanted{StopReason::cancel, 0});
  const auto step = find_resume_step(records_.folder(), plan_);
  post(CheckpointFound{step > 0 ? std::optional(step) : std::nullopt});
}

void Head::claim_next() {
  const auto claimed = records_.claim_next();
  if (claimed) {
    link_output();
    begin_views();
    return post(AttemptClaimed{records_.attempt(), records_.nonce()});
  }
  if (records_.is_superseded()) return post(Superseded{records_.highest_attempt()});
  post(ClaimFailed{claimed.error().message});
}

// ---- the end

/// Of an attempt that never had ranks.
void Head::end_early(const RunEnd& early) {
  starter_.refuse(early.message);
  records_.write(event::AttemptEnded{.outcome = std::string(name_of(early.state)), .message = early.message});
  end(early);
}

void Head::end(const RunEnd& end) {
  ended_ = true;
  live_->stop();
  stack_desk_->stop();
  stop_inquiry_->end();
  deadline_watch_->forgo_stop_signal();
  ending_->begin({end, deadline_watch_->deadline(), stop_inquiry_->stop_began(), terminated_, began_after_});
}

void Head::close(const RunEnd& end, LastWord last_word) {
  exit_code_ = end.exit_code;
  const auto speak = [this, end, last_word] {
    if (last_word == LastWord::of_this_head) records_.end_run(end);
  };
  // A scheduler may end the job, and head with it, before the agents have: the last word comes first.
  const bool at_once = !plan_.traits.scheduler.empty();
  if (at_once) speak();
  const auto done = [this] {
    dismissed_ = true;
    loop_->quit();
  };
  // This comes last: the scheduler drops the new start time if the job is still leaving its nodes by then.
  const auto go = [this, last_word, done] {
    if (last_word == LastWord::of_this_head) return done();
    inquiry_->hasten_start(done);
  };
  const auto leave = [this, at_once, speak, go] {
    if (!at_once) speak();
    notify_desk_->finish(go);
  };
  if (fleet_) return fleet_->dismiss(leave);
  leave();
}

}  // namespace ddp::agent
