#include "jobenv/agent/agent_session.hpp"

#include <csignal>
#include <filesystem>
#include <thread>

#include "jobenv/agent/control_protocol.hpp"
#include "jobenv/agent/head_address.hpp"
#include "jobenv/agent/host_claim.hpp"
#include "jobenv/agent/lease.hpp"
#include "jobenv/agent/signal_meaning.hpp"

namespace ddp::agent {
namespace {

/// For the logs that head does not have when it ends the run.
constexpr std::chrono::seconds kRecordsPatience{50};
constexpr std::chrono::milliseconds kLook{100};

}  // namespace

int AgentSession::run() {
  std::optional<HostClaim> claim;
  if (settings_.plan.launcher == "ssh") {
    claim = HostClaim::on_agent(settings_.environment.get(kHeadNonce).value_or(""),
                                settings_.ranks.front().node_rank);
    if (!claim) {
      log_("this node has an agent already");
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
  if (settings_.plan.launcher == "ssh" && !await_predecessor()) {
    log_("the ranks of an earlier attempt do not end: leaving");
    return exit_code_;
  }
  if (const auto connected = connect(); !connected) {
    log_(connected.error().message);
    return exit_code_;
  }
  loop_->run();
  return exit_code_;
}

/// Ranks of an attempt whose head is gone live here until the lease of their agent is over.
bool AgentSession::await_predecessor() const {
  const auto is_free = [this] {
    return HostClaim::on_ranks(settings_.plan.run_dir, settings_.ranks.front().node_rank).has_value();
  };
  if (is_free()) return true;
  log_("waiting for the end of the ranks of an earlier attempt");
  const auto deadline = std::chrono::steady_clock::now() + kLease + kPulse;
  while (!is_free()) {
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

Expected<void> AgentSession::connect() {
  const auto hello = agent_->hello();
  if (!hello) return tl::unexpected(hello.error());
  auto socket = connect_to_head(settings_.environment, *hello);
  if (!socket) return tl::unexpected(socket.error());
  serve(std::move(*socket));
  return {};
}

void AgentSession::serve(FileDescriptor socket) {
  abandoned_ = false;
  loop_->cancel(lease_check_);
  connection_ = std::make_unique<ControlConnection>(
      *loop_, std::move(socket), kMaxLine,
      ControlConnection::Handlers{[this](std::string_view line) { on_line(line); },
                                  [this](const std::string& why) { leave_without_head(why); }});
  endpoint_ = connection_->remote_endpoint();
  if (records_) records_->restart();
  lease_check_ = loop_->after(kPulse, [this] { check_lease(); });
}

void AgentSession::on_signal(int signal) {
  const bool ends = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  // Only srun hands a stop of the whole run to its agents.
  if (!ends || settings_.plan.launcher != "slurm") return;
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
  if (connection_->silence() > kLease) return leave_without_head("no word from head");
  lease_check_ = loop_->after(kPulse, [this] { check_lease(); });
}

void AgentSession::leave_without_head(const std::string& why) {
  if (std::exchange(abandoned_, true)) return;
  last_word_ = std::chrono::steady_clock::now() - connection_->silence();
  connection_.reset();
  agent_->handle(KillRanks{});
  log_("head is gone (" + why + "): killing the ranks");  // its file may be cut off, too
  if (!agent_->busy()) return end_without_head();
  patience_ = loop_->after(kLease, [this] { loop_->quit(); });  // its guard stays with what no signal ends
}

void AgentSession::end_without_head() {
  loop_->cancel(patience_);
  if (settings_.plan.launcher == "ssh") return look_again();
  loop_->quit();
}

/// Nothing else is to be done meanwhile: this may block.
void AgentSession::look_again() {
  const auto hello = agent_->hello();
  auto answer = hello ? look_for_head(settings_.environment, endpoint_, *hello)
                      : HeadAnswer{};  // its interface is down
  if (answer.sight == HeadSight::welcome) {
    log_("head is there again");
    return serve(std::move(answer.socket));
  }
  const bool late = std::chrono::steady_clock::now() - last_word_ > kReturn;
  if (answer.sight == HeadSight::gone || late) return loop_->quit();
  patience_ = loop_->after(kPulse / 5, [this] { look_again(); });
}

}  // namespace ddp::agent
