#include "jobenv/agent/launchers/ssh/host_fleet.hpp"

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::agent {
namespace {

/// For agents to leave after they were told to; one that is cut off is told by its lease.
constexpr std::chrono::seconds kDeparturePatience{5};
/// Where they have logs to send before that.
constexpr std::chrono::seconds kRecordsPatience{60};
constexpr std::chrono::milliseconds kLook{5};

bool is_log(const std::string& path) {
  return path.starts_with("logs/");
}

/// That of a rank on head's host is there.
void save_foreign(const ExitRecord& record, const RunFolder& folder) {
  const auto file = folder.exit_record(record.attempt, record.rank);
  std::error_code error;
  if (std::filesystem::exists(file, error)) return;
  std::filesystem::create_directories(file.parent_path(), error);
  (void)save_file(file, to_json(record).dump(2) + "\n", Durability::synced);
}

}  // namespace

HostFleet::HostFleet(EventLoop& loop, const LaunchPlan& plan, OnEvent on_event, Announce announce)
    : loop_(loop),
      folder_(plan.run_dir),
      shared_folder_(plan.shared_folder),
      reach_(plan.nodes == 1 ? Reach::this_host : Reach::all_hosts),
      on_event_(std::move(on_event)),
      announce_(std::move(announce)),
      connections_(loop, plan.waits, [this](const RunEvent& event) { this->on_event(event); }) {}

Expected<void> HostFleet::launch() {
  if (auto opened = connections_.open(reach_); !opened) return opened;
  announce_(connections_.address());
  return {};
}

/// An exit record is there before anybody acts on it.
void HostFleet::on_event(const RunEvent& event) {
  const auto* said = shared_folder_ ? nullptr : std::get_if<AgentSaid>(&event);
  if (said == nullptr) return on_event_(event);
  if (const auto* piece = std::get_if<RecordPiece>(&said->message))
    return take_piece(said->agent, piece->piece);
  if (const auto* exited = std::get_if<RankExited>(&said->message)) save_foreign(exited->record, folder_);
  on_event_(event);
}

/// Without an answer nothing more comes: what a full disk does not take is missing at the end, not within.
void HostFleet::take_piece(AgentId agent, const FilePiece& piece) {
  if (is_log(piece.path) && save_piece(folder_.root(), piece)) connections_.send(agent, PieceTaken{});
}

/// Those that live are as good as new ones; the others come by themselves.
void HostFleet::relaunch() {
  connections_.hold_back();
  patience_ = loop_.after(std::chrono::milliseconds(0), [this] {
    on_event_(LauncherStarted{});
    connections_.introduce_again();
  });
}

void HostFleet::dismiss(std::function<void()> done) {
  dismissed_ = std::move(done);
  dismissed_at_ = std::chrono::steady_clock::now();
  loop_.cancel(patience_);
  connections_.end();
  await_departure();
}

void HostFleet::await_departure() {
  const bool late = std::chrono::steady_clock::now() - dismissed_at_ >
                    (shared_folder_ ? kDeparturePatience : kRecordsPatience);
  if (connections_.empty() || late) return dismissed_();
  patience_ = loop_.after(kLook, [this] { await_departure(); });
}

}  // namespace ddp::agent
