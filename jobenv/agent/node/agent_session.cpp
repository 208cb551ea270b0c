#include "jobenv/agent/node/agent_session.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/node/host_claim.hpp"
#include "jobenv/agent/process/signals_taken.hpp"
#include "jobenv/agent/protocol/agent_exit.hpp"
#include "jobenv/agent/protocol/control_protocol.hpp"

namespace ddp::agent {
namespace {

/// For the logs that head does not have when it ends the run.
constexpr std::chrono::seconds kRecordsPatience{50};
constexpr std::chrono::milliseconds kLook{100};
/// Between two rounds of looking for a head that has not been found yet, at first and at most.
constexpr std::chrono::milliseconds kShortestPause{20};
constexpr std::chrono::milliseconds kLongestPause{1000};
/// As often in a row head's ports are nobody's, or its port is another's, before that is believed: head
/// closes a connection also when it has no room for one more that it does not know.
constexpr int kDenials = 3;

/// "head did not accept this agent within 300 s: …".
std::string describe_failure(const HeadAnswer& answer, std::chrono::seconds patience) {
  const std::string within = " within " + std::to_string(patience.count()) + " s:" + answer.why;
  if (answer.sight > HeadSight::silent) return kNoWelcome + within;
  return kHeadUnreached + (answer.sight == HeadSight::gone ? ":" + answer.why : within) +
         "\ncheck for a firewall between the nodes: head listens on a free port of every interface";
}

}  // namespace

int AgentSession::run() {
  std::optional<HostClaim> claim;
  if (settings_.plan.traits.agents_return) {
    claim = HostClaim::on_agent(settings_.environment.get(kHeadNonce).value_or(""),
                                settings_.ranks.front().node_rank);
    if (!claim) {
      log_("this node already has an agent");
      return 0;
    }
  }
  const int code = serve_run();
  if (settings_.records == RecordsPlace::own_folder) remove_secrets();
  return code;
}

int AgentSession::serve_run() {
  auto loop = EventLoop::create(signals_taken(settings_.plan), [this](int signal) { on_signal(signal); });
  if (!loop) {
    log_(loop.error().message);
    return exit_code_;
  }
  loop_ = std::move(*loop);
  agent_ = std::make_unique<NodeAgent>(*loop_, settings_,
                                       [this](const AgentMessage& message) { report(message); });
  if (settings_.records == RecordsPlace::own_folder)
    records_.emplace(*loop_, RunFolder(settings_.plan.run_dir),
                     [this](FilePiece piece) { report(RecordPiece{std::move(piece)}); });
  has_predecessor_ = settings_.plan.traits.agents_return && !await_predecessor();
  give_up_at_ = std::chrono::steady_clock::now() + settings_.plan.rendezvous_timeout;
  pause_ = kShortestPause;
  patience_ = loop_->after({}, [this] { find_head(); });
  loop_->run();
  return exit_code_;
}

bool AgentSession::predecessor_has_ended() const {
  return HostClaim::on_ranks(settings_.plan.run_dir, settings_.ranks.front().node_rank).has_value();
}

/// Ranks of an attempt whose head is gone live here until the lease of their agent is over.
bool AgentSession::await_predecessor() const {
  if (predecessor_has_ended()) return true;
  log_("waiting until the ranks of an earlier attempt have ended");
  const auto deadline =
      std::chrono::steady_clock::now() + settings_.plan.waits.lease + settings_.plan.waits.pulse;
  while (!predecessor_has_ended()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

/// Head removes those in its folder; a next start of the run brings them anew.
void AgentSession::remove_secrets() const {
  std::error_code ignored;  // most runs have none
  std::filesystem::remove(RunFolder(settings_.plan.run_dir).secrets(), ignored);
}

Hello AgentSession::introduction() {
  Hello hello = agent_->hello();
  has_predecessor_ = has_predecessor_ && !predecessor_has_ended();
  if (!has_predecessor_) return hello;
  hello.problem = "the ranks of an earlier attempt do not end";
  hello.recurrence = Recurrence::possible;
  return hello;
}

/// Each round may block; between two of them the loop hears signals.
void AgentSession::find_head() {
  const Hello hello = introduction();
  auto answer = look_for_head(settings_.environment, hello);
  if (!answer) {
    log_(answer.error().message);
    return loop_->quit();
  }
  if (answer->sight == HeadSight::welcome) {
    if (!hello.problem.empty()) log_(hello.problem);
    return serve(std::move(answer->socket));
  }
  exit_code_ = answer->sight > HeadSight::silent ? kExitNoWelcome : kExitHeadUnreached;
  denials_ = answer->sight == HeadSight::gone ? denials_ + 1 : 0;
  if (denials_ == kDenials || std::chrono::steady_clock::now() >= give_up_at_) {
    log_(describe_failure(*answer, settings_.plan.rendezvous_timeout));
    return loop_->quit();
  }
  patience_ = loop_->after(pause_, [this] { find_head(); });
  pause_ = std::min(2 * pause_, kLongestPause);
}

void AgentSession::serve(FileDescriptor socket) {
  abandoned_ = false;
  denials_ = 0;
  exit_code_ = 1;
  loop_->cancel(lease_check_);
  connection_ = std::make_unique<ControlConnection>(
      *loop_, std::move(socket), kMaxLine,
      ControlConnection::Handlers{[this](std::string_view line) { on_line(line); },
                                  [this](const std::string& why) { leave_without_head(why); }});
  endpoint_ = connection_->remote_endpoint();
  if (records_) records_->restart();
  lease_check_ = loop_->after(settings_.plan.waits.pulse, [this] { check_lease(); });
}

void AgentSession::on_signal(int signal) {
  const bool ends = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  if (ends && endpoint_.empty()) return loop_->quit();  // without head there is nothing to stay for
  if (!ends || settings_.plan.traits.stop != StopReaches::everyone) return;
  agent_->note_external_signal(signal);
  report(Signalled{signal});
}

void AgentSession::on_line(std::string_view line) {
  const auto message = parse_head_message(line);
  if (!message) return leave_without_head(message.error().message);
  if (std::holds_alternative<Ping>(*message)) return report(Pong{});
  if (std::holds_alternative<PieceTaken>(*message)) return records_ ? records_->on_taken() : void();
  std::holds_alternative<End>(*message) ? end() : agent_->handle(*message);
}

void AgentSession::end() {
  exit_code_ = 0;
  if (!records_) return loop_->quit();
  records_->finish(kRecordsPatience, [this] { loop_->quit(); });
}

void AgentSession::report(const AgentMessage& message) {
  if (!abandoned_ && connection_) connection_->send_line(render_message(message));
  if (abandoned_ && std::holds_alternative<Drained>(message)) end_without_head();
}

void AgentSession::check_lease() {
  if (abandoned_) return;
  lease_check_ = loop_->after(settings_.plan.waits.pulse, [this] { check_lease(); });
  if (connection_->is_silent_for(settings_.plan.waits.lease)) leave_without_head("nothing heard from head");
}

void AgentSession::leave_without_head(const std::string& why) {
  if (std::exchange(abandoned_, true)) return;
  last_word_ = std::chrono::steady_clock::now() - connection_->silence();
  connection_.reset();
  agent_->handle(KillRanks{});
  log_("lost the connection to head (" + why + "): killing the ranks");  // its file may be cut off, too
  if (!agent_->busy()) return end_without_head();
  patience_ = loop_->after(settings_.plan.waits.lease,
                           [this] { loop_->quit(); });  // its guard stays with what no signal ends
}

void AgentSession::end_without_head() {
  loop_->cancel(patience_);
  if (settings_.plan.traits.agents_return) return look_again();
  loop_->quit();
}

/// Nothing else is to be done meanwhile: this may block.
void AgentSession::look_again() {
  const Hello hello = introduction();
  auto answer = hello.problem.empty() ? look_for_head_at(settings_.environment, endpoint_, hello)
                                      : HeadAnswer{};  // its interface is down
  if (answer.sight == HeadSight::welcome) {
    log_("connected to head again");
    return serve(std::move(answer.socket));
  }
  denials_ = answer.sight == HeadSight::denied ? denials_ + 1 : 0;
  const bool gone = answer.sight == HeadSight::gone || denials_ == kDenials;
  const bool late = std::chrono::steady_clock::now() - last_word_ > settings_.plan.waits.comeback;
  if (gone || late) return loop_->quit();
  patience_ = loop_->after(settings_.plan.waits.pulse / 5, [this] { look_again(); });
}

}  // namespace ddp::agent
