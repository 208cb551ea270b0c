#include "jobenv/agent/head.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "jobenv/agent/lease.hpp"
#include "jobenv/agent/local_fleet.hpp"
#include "jobenv/agent/lost_attempt.hpp"
#include "jobenv/agent/nonce.hpp"
#include "jobenv/agent/plan_file.hpp"
#include "jobenv/agent/shell_fleet.hpp"
#include "jobenv/agent/signal_meaning.hpp"
#include "jobenv/agent/slurm_fleet.hpp"
#include "jobenv/record/cancel_request.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "jobenv/record/process_identity.hpp"

namespace ddp::agent {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

/// For Slurm to say why it has sent a signal; a busy controller does not keep the ranks from being stopped.
constexpr std::chrono::seconds kLookPatience{2};

/// A request whose answer was lost is made once more.
constexpr int kMostRequeueRequests = 2;

/// The end of what a tool has said, in one line.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

JobFate fate_in(const ToolAnswer& answer, const SlurmJob& job) {
  return interpret_report(answer.succeeded ? parse_job_report(answer.text) : std::nullopt, job.restart_count);
}

}  // namespace

Head::Head(HeadOptions options, EnvMap environment, Log log)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      log_(std::move(log)),
      folder_(options_.run_dir) {}

int Head::run() {
  if (const auto loaded = load(); !loaded) {
    log_(loaded.error().message);
    return static_cast<int>(loaded.error().code);
  }
  const auto checked = check_job();
  if (const auto code = earlier_last_word()) {
    log_("the run has ended already: Slurm has started its job again after that");
    return *code;
  }
  if (const auto claimed = claim(); !claimed) {
    log_(claimed.error().message);
    return static_cast<int>(ExitCode::run_failed);
  }
  if (const auto events = load_ledger(folder_); !events) {
    end_early(make_early_failure(events.error().message, host_));
  } else if (!checked) {
    end_early(make_early_failure(checked.error().message, host_));
  } else if (is_cancel_requested(*events)) {
    end_early({RunState::cancelled, static_cast<int>(ExitCode::interrupted), "cancelled before it started",
               std::nullopt});
  } else if (const auto launched = launch(); !launched) {
    end_early(make_early_failure(launched.error().message, host_));
  }
  if (!dismissed_) loop_->run();
  return end_->exit_code;
}

Expected<void> Head::load() {
  auto plan = load_plan(folder_);
  if (!plan) return tl::unexpected(plan.error());
  plan_ = std::move(*plan);
  if (plan_.launcher != "local" && plan_.launcher != "slurm") {
    return fail(ExitCode::config_invalid, "head cannot run launcher '" + plan_.launcher + "'");
  }
  host_ = resolve_host_name(plan_, environment_);
  auto loop = EventLoop::create(signals_taken(plan_), [this](int signal) { on_signal(signal); });
  if (!loop) return tl::unexpected(loop.error());
  loop_ = std::move(*loop);
  descriptor_limit_ = raise_descriptor_limit();
  return {};
}

Expected<void> Head::check_job() {
  if (plan_.launcher == "local") {
    if (plan_.time_limit) deadline_ = system_clock::now() + *plan_.time_limit;
    return {};
  }
  auto job = parse_slurm_job(environment_);
  if (!job) return tl::unexpected(job.error());
  job_ = std::move(*job);
  deadline_ = job_.end_time;
  attempt_.hosts = job_.hosts;
  return check_head_node(job_, plan_, host_, options_.node);
}

Expected<void> Head::claim() {
  auto nonce = make_nonce();
  if (!nonce) return tl::unexpected(nonce.error());
  const auto number = folder_.claim_attempt(*nonce, job_.control_id, job_.restart_count);
  if (!number) return tl::unexpected(number.error());
  attempt_.number = *number;
  attempt_.nonce = std::move(*nonce);
  auto ledger = LedgerWriter::open(folder_, "head-" + std::to_string(attempt_.number));
  if (!ledger) return tl::unexpected(ledger.error());
  ledger_.emplace(std::move(*ledger));
  const int pid = getpid();
  write("head_started", {{"attempt", attempt_.number},
                         {"host", host_},
                         {"pid", pid},
                         {"pid_start", load_process_start(pid).value_or(0)},
                         {"boot_id", load_boot_id()},
                         {"job_id", job_.control_id},
                         {"cluster", job_.cluster},
                         {"restart_count", job_.restart_count}});
  note_lost_attempt();
  began_after_ = checkpoint_step();
  return {};
}

/// Before another attempt is decided upon.
void Head::look_around() {
  if (cancel_recorded()) post(StopWanted{StopReason::cancel, 0});
  const auto checkpoint = find_latest_checkpoint(folder_);
  post(CheckpointFound{checkpoint ? std::optional(checkpoint->step) : std::nullopt});
}

void Head::claim_next() {
  auto nonce = make_nonce();
  if (!nonce) return post(ClaimFailed{nonce.error().message});
  const int previous = attempt_.number;
  const auto number = folder_.claim_attempt_after(previous, *nonce, job_.control_id, job_.restart_count);
  if (number) {
    attempt_.number = *number;
    attempt_.nonce = std::move(*nonce);
    return post(AttemptClaimed{attempt_.number, attempt_.nonce});
  }
  superseded_ |= number.error().code == ExitCode::still_running;
  if (superseded_) return post(Superseded{folder_.highest_attempt().value_or(previous + 1)});
  post(ClaimFailed{number.error().message});
}

/// A lost node, or a preemption, in the moment in which the job ends makes Slurm start it again.
std::optional<int> Head::earlier_last_word() const {
  if (job_.restart_count == 0) return std::nullopt;
  return find_last_word(load_ledger(folder_).value_or(std::vector<LedgerEvent>{}));
}

void Head::note_lost_attempt() {
  const auto events = load_ledger(folder_);
  if (!events) return;
  if (const auto lost = describe_lost_attempt(folder_, attempt_.number - 1, *events))
    write("attempt_ended", *lost);
}

Expected<void> Head::launch() {
  controller_.emplace(plan_, attempt_);
  if (deadline_) controller_->set_deadline(*deadline_);
  watch_submitter();
  watch_deadline();
  loop_->after(kPulse, [this] { check_claim(); });
  auto fleet = make_fleet();
  if (!fleet) return tl::unexpected(fleet.error());
  fleet_ = std::move(*fleet);
  for (const RunAction& action : controller_->begin()) perform(action);
  return fleet_->launch();
}

Expected<std::unique_ptr<Fleet>> Head::make_fleet() {
  const auto on_event = [this](const RunEvent& event) {
    if (const auto* said = std::get_if<AgentSaid>(&event);
        said != nullptr && std::holds_alternative<Signalled>(said->message)) {
      look_at_job();
    }
    post(event);
  };
  if (plan_.launcher == "local" && plan_.setup.empty()) {
    const NodeAgentSettings settings{plan_, environment_, host_, layout_of(plan_).places_on(0),
                                     descriptor_limit_};
    return std::make_unique<LocalFleet>(*loop_, settings, on_event);
  }
  FleetSettings settings{plan_, environment_, host_, job_.id, descriptor_limit_};
  if (plan_.launcher == "local") return std::make_unique<ShellFleet>(*loop_, std::move(settings), on_event);
  return std::make_unique<SlurmFleet>(*loop_, std::move(settings), on_event);
}

void Head::watch_submitter() {
  if (!options_.attached_fd) return;
  const auto watch = loop_->watch(*options_.attached_fd, EPOLLIN, [this](std::uint32_t) { on_submitter(); });
  if (watch) {
    submitter_watch_ = *watch;
  } else {
    log_("--attached-fd: " + watch.error().message);
  }
}

void Head::watch_deadline() {
  if (plan_.launcher != "slurm") return;
  if (deadline_) return expect_stop_signal();
  deadline_query_ =
      std::make_unique<DeadlineQuery>(*loop_, environment_, job_.id, [this](system_clock::time_point time) {
        deadline_ = time;
        controller_->set_deadline(time);
        expect_stop_signal();
      });
}

/// Slurm sends it once; the batch script ignores it while set-up lines run.
void Head::expect_stop_signal() {
  if (!plan_.stop_signal || !(plan_.time_limit || plan_.requeue)) return;
  const auto left = *deadline_ - plan_.signal_lead - system_clock::now();
  loop_->after(std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(left)),
               [this] { make_up_for_stop_signal(); });
}

/// The limit may have been raised meanwhile.
void Head::make_up_for_stop_signal() {
  if (stop_began_ || end_) return;
  deadline_query_ =
      std::make_unique<DeadlineQuery>(*loop_, environment_, job_.id, [this](system_clock::time_point time) {
        deadline_ = time;
        controller_->set_deadline(time);
        if (system_clock::now() < time - plan_.signal_lead) return expect_stop_signal();
        if (const auto signal = parse_signal(*plan_.stop_signal)) on_signal(*signal);
      });
}

void Head::on_submitter() {
  char byte = 0;
  const ssize_t size = read(*options_.attached_fd, &byte, 1);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size > 0) return;
  loop_->forget(submitter_watch_);
  post(StopWanted{StopReason::detached_submitter, 0});
}

void Head::check_claim() {
  if (is_superseded()) return post(Superseded{folder_.highest_attempt().value_or(attempt_.number)});
  loop_->after(kPulse, [this] { check_claim(); });
}

bool Head::is_superseded() {
  superseded_ |= folder_.highest_attempt().value_or(attempt_.number) > attempt_.number;
  return superseded_;
}

void Head::on_signal(int signal) {
  terminated_ |= signal == SIGTERM;
  if (end_) {
    if (asking_ && terminated_) ask_about_end();  // an answer under way may be older than the signal
    return;
  }
  const SignalContext context{system_clock::now(), deadline_, cancel_recorded()};
  const auto stop = interpret_signal(signal, plan_, context);
  if (!stop) return;
  if (!stop_began_) stop_began_ = steady_clock::now();
  const bool first = !undecided_stop_;
  if (plan_.launcher == "slurm" && stop->reason == StopReason::interrupt && controller_ && first) {
    undecided_stop_ = stop;
    return look_at_job();
  }
  if (!first) post(*std::exchange(undecided_stop_, std::nullopt));
  post(*stop);
}

/// Whether the job is cancelled, preempted or started again, only Slurm can tell: all of these come as TERM.
void Head::look_at_job() {
  if (job_.id.empty() || look_) return;
  look_timer_ = loop_->after(kLookPatience, [this] {
    if (undecided_stop_) post(*std::exchange(undecided_stop_, std::nullopt));
  });
  look_ = std::make_unique<ToolQuery>(*loop_, render_report_argv(job_), environment_,
                                      [this](const ToolAnswer& answer) { on_look(take_fate(answer)); });
}

/// A job that is taken back stays so, even if Slurm does not answer any more.
JobFate Head::take_fate(const ToolAnswer& answer) {
  const JobFate fate = fate_in(answer, job_);
  taken_back_ |= fate == JobFate::taken_back;
  return taken_back_ ? JobFate::taken_back : fate;
}

void Head::on_look(JobFate fate) {
  look_.reset();
  loop_->cancel(look_timer_);
  auto stop = std::exchange(undecided_stop_, std::nullopt);
  if (fate == JobFate::giving_way || fate == JobFate::taken_back || fate == JobFate::evicted)
    stop = StopWanted{StopReason::preempted, stop ? stop->signal : SIGTERM};
  if (stop) post(*stop);
}

/// An event that comes while another is handled waits: the controller's actions stay in their order.
void Head::post(const RunEvent& event) {
  if (std::holds_alternative<AgentLost>(event) && !controller_->stop_wanted() && cancel_recorded())
    events_.push_back(StopWanted{StopReason::cancel, 0});
  events_.push_back(event);
  if (std::exchange(handling_, true)) return;
  while (!events_.empty() && !end_) {
    const RunEvent next = std::move(events_.front());
    events_.pop_front();
    for (const RunAction& action : controller_->handle(next)) perform(action);
  }
  handling_ = false;
}

void Head::perform(const RunAction& action) {
  std::visit(Overloaded{[this](const SendToAgent& request) { fleet_->send(request.agent, request.message); },
                        [this](const ArmTimer& request) { arm(request); },
                        [this](const DisarmTimers&) { disarm_timers(); },
                        [this](const FindCheckpoint&) { look_around(); },
                        [this](const ClaimAttempt&) { claim_next(); },
                        [this](const Relaunch&) { fleet_->relaunch(); },
                        [this](const WriteLedger& request) { write(request.event, request.fields); },
                        [this](const EndRun& request) { end(request.end); }},
             action);
}

void Head::arm(const ArmTimer& request) {
  if (const auto old = timers_.find(request.timer); old != timers_.end()) loop_->cancel(old->second);
  timers_[request.timer] =
      loop_->after(request.delay, [this, timer = request.timer] { post(TimerExpired{timer}); });
}

/// Not the time limit's: it is that of the run.
void Head::disarm_timers() {
  for (const auto& [timer, id] : timers_) {
    if (timer != RunTimer::time_limit) loop_->cancel(id);
  }
}

void Head::write(const std::string& event, const nlohmann::json& fields) {
  if (event == "attempt_ended" && is_superseded()) return;  // the later head has told how it ended
  if (const auto written = ledger_->append(event, fields); !written) log_(written.error().message);
}

/// Of an attempt that never had ranks.
void Head::end_early(const RunEnd& early) {
  write("attempt_ended", {{"attempt", attempt_.number},
                          {"outcome", name_of(early.state)},
                          {"message", early.message},
                          {"last_step", nullptr}});
  end(early);
}

void Head::end(const RunEnd& end) {
  end_ = end;
  ended_ = steady_clock::now();
  log_(std::string(name_of(end.state)) + ": " + end.message);
  if (is_superseded() || cancel_recorded() || job_.id.empty() || !may_go_on(end, plan_)) return close();
  ask_about_end();
}

// ---- what follows the end of the ranks

void Head::ask_about_end() {
  loop_->cancel(question_timer_);
  if (taken_back_) return go_on_or_close(JobFate::taken_back);
  asking_ = true;
  requeue_query_ =
      std::make_unique<ToolQuery>(*loop_, render_report_argv(job_), environment_,
                                  [this](const ToolAnswer& answer) { consider_end(take_fate(answer)); });
}

void Head::consider_end(JobFate fate) {
  const auto pause = pause_before_next_question(*end_, fate, question_context());
  if (!pause || is_superseded() || cancel_recorded()) return go_on_or_close(fate);
  question_timer_ = loop_->after(*pause, [this] { ask_about_end(); });
}

QuestionContext Head::question_context() const {
  return {terminated_, deadline_ && system_clock::now() >= *deadline_,
          std::chrono::floor<std::chrono::seconds>(steady_clock::now() - ended_)};
}

void Head::go_on_or_close(JobFate fate) {
  asking_ = false;
  if (is_superseded() || cancel_recorded()) return close();
  const RequeueContext context{
      fate, terminated_, question_context().time_is_over, count_requeues(), began_after_, checkpoint_step()};
  const auto taken = std::chrono::ceil<std::chrono::seconds>(steady_clock::now() -
                                                             stop_began_.value_or(steady_clock::now()));
  const std::string advice = advise_signal_lead(*end_, plan_, taken);
  auto decision = decide_requeue(*end_, plan_, context);
  end_ = std::move(decision.end);
  if (!advice.empty()) end_->message += "; " + advice;
  switch (decision.step) {
    case RequeueStep::end:
      return close();
    case RequeueStep::requeue:
      if (!may_still_requeue()) return close();
      note_requeue(decision.reason, advice);
      return request_requeue();
    case RequeueStep::leave:
      note_requeue(decision.reason, advice);
      return leave_to_next_attempt();
  }
}

/// What counts may have changed while Slurm was asked.
bool Head::may_still_requeue() {
  const auto events = load_ledger(folder_);
  if (!events) end_->message += "; not requeued: " + events.error().message;
  return events && !is_cancel_requested(*events) && !is_superseded();
}

/// The ledger was told before: Slurm may end the job, and head with it, before it has answered.
void Head::request_requeue() {
  ++requeue_requests_;
  requeue_query_ =
      std::make_unique<ToolQuery>(*loop_, render_requeue_argv(job_), environment_,
                                  [this](const ToolAnswer& answer) { on_requeue_answer(answer); });
}

void Head::note_requeue(StopReason reason, const std::string& advice) {
  const bool at_limit = reason == StopReason::time_limit;
  const std::uint64_t step = checkpoint_step();
  std::string message =
      at_limit ? "requeued at its time limit" : "taken back by Slurm, which starts it again";
  if (step > 0) message += " after step " + std::to_string(step);
  message += "; attempt " + std::to_string(attempt_.number + 1) + (step > 0 ? " resumes there" : " follows");
  if (!advice.empty()) message += "; " + advice;
  write("requeued", {{"attempt", attempt_.number},
                     {"reason", name_of(reason)},
                     {"step", step > 0 ? nlohmann::json(step) : nlohmann::json()},
                     {"count", count_requeues() + (at_limit ? 1 : 0)},
                     {"lost_steps", count_lost_steps(folder_, end_->last_step)},
                     {"message", message}});
  log_(message);
}

/// An answer may be lost, or cut short by what it is about.
void Head::on_requeue_answer(const ToolAnswer& answer) {
  if (answer.succeeded) return leave_to_next_attempt();
  ask_whether_requeued(last_line(answer.text));
}

void Head::ask_whether_requeued(const std::string& words) {
  requeue_query_ = std::make_unique<ToolQuery>(
      *loop_, render_report_argv(job_), environment_,
      [this, words](const ToolAnswer& report) { consider_requeue(take_fate(report), words); });
}

void Head::consider_requeue(JobFate fate, const std::string& words) {
  if (fate == JobFate::taken_back) return leave_to_next_attempt();
  const auto pause = pause_before_next_question(*end_, fate, question_context());
  if (fate == JobFate::unknown && pause) {
    question_timer_ = loop_->after(*pause, [this, words] { ask_whether_requeued(words); });
    return;
  }
  const bool goes_on = fate == JobFate::running || fate == JobFate::giving_way;
  if (goes_on && !terminated_ && requeue_requests_ < kMostRequeueRequests && may_still_requeue())
    return request_requeue();
  on_requeue_refused(words);
}

void Head::on_requeue_refused(const std::string& words) {
  write("requeue_refused", {{"attempt", attempt_.number}, {"message", words}});
  if (cancel_recorded()) {
    end_ = RunEnd{RunState::cancelled, static_cast<int>(ExitCode::interrupted), "cancelled", std::nullopt};
  } else {
    end_->message += "; Slurm did not start the job again: " + words;
  }
  close();
}

void Head::leave_to_next_attempt() {
  last_word_ = LastWord::left_to_next_attempt;
  close();
}

std::uint64_t Head::checkpoint_step() const {
  const auto checkpoint = find_latest_checkpoint(folder_);
  return checkpoint && plan_.program == ProgramKind::trainer ? checkpoint->step : 0;
}

int Head::count_requeues() const {
  return count_requeues_at_limit(load_ledger(folder_).value_or(std::vector<LedgerEvent>{}));
}

// ---- the last word

void Head::close() {
  if (last_word_ == LastWord::left_to_next_attempt) end_->exit_code = static_cast<int>(ExitCode::requeue);
  // Slurm may end the job, and head with it, before srun has: the last word comes first.
  const bool at_once = plan_.launcher == "slurm";
  if (at_once) speak_last_word();
  const auto done = [this, at_once] {
    if (!at_once) speak_last_word();
    dismissed_ = true;
    loop_->quit();
  };
  if (fleet_) return fleet_->dismiss(done);
  done();
}

void Head::speak_last_word() {
  if (last_word_ == LastWord::left_to_next_attempt || is_superseded()) return;  // it is another head's
  auto fields = to_json(*end_);
  fields["attempt"] = attempt_.number;
  write("run_ended", fields);
  std::error_code ignored;  // most runs have no secrets
  std::filesystem::remove(folder_.secrets(), ignored);
}

bool Head::cancel_recorded() const {
  const auto events = load_ledger(folder_);
  return events && is_cancel_requested(*events);
}

}  // namespace ddp::agent
