#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp {

/// The exit code of a head that cannot claim an attempt: where the disk is full, it is all that is left of
/// why. That of sysexits.h for a file that cannot be made.
inline constexpr int kExitUnclaimed = 73;

/// The paths of one run on disk (docs/run-folder.md lists them). Pure: only create,
/// highest_attempt and the claims touch the disk.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// The name of the folder; of a point of a sweep "SWEEP/K".
  [[nodiscard]] std::string run_id() const;
  [[nodiscard]] std::filesystem::path spec() const { return root_ / "spec.yaml"; }
  [[nodiscard]] std::filesystem::path plan() const { return root_ / "plan.json"; }
  [[nodiscard]] std::filesystem::path script() const { return root_ / "script.sbatch"; }
  [[nodiscard]] std::filesystem::path secrets() const { return root_ / "secrets.json"; }
  [[nodiscard]] std::filesystem::path metrics() const { return root_ / "metrics.jsonl"; }
  /// Event files, if the training writes them.
  [[nodiscard]] std::filesystem::path tensorboard() const { return root_ / "tensorboard"; }
  [[nodiscard]] std::filesystem::path live() const { return root_ / "live.json"; }
  /// Where ranks were: of requests, and of hangs.
  [[nodiscard]] std::filesystem::path stacks() const { return root_ / "stacks"; }
  [[nodiscard]] std::filesystem::path stack_request(const std::string& id) const {
    return stacks() / ("wanted-" + id + ".json");
  }
  [[nodiscard]] std::filesystem::path stack_answer(const std::string& id) const {
    return stacks() / ("taken-" + id + ".json");
  }
  /// Taken before a hang of the attempt was told; of several, the last.
  [[nodiscard]] std::filesystem::path hang_stacks(int attempt) const {
    return stacks() / ("attempt-" + std::to_string(attempt) + ".json");
  }
  /// Of a run whose files are pushed: which they are, on the submit host.
  [[nodiscard]] std::filesystem::path pushed_files() const { return root_ / "pushed.json"; }
  /// On the submit host: from which host each file of output/ was fetched.
  [[nodiscard]] std::filesystem::path fetched_files() const { return root_ / "fetched.json"; }
  /// On the hosts that they are pushed to: the files. The ranks start there.
  [[nodiscard]] std::filesystem::path work() const { return root_ / "work"; }
  /// What was recorded of the source at the submission: of a sweep in its folder, for all points.
  [[nodiscard]] std::filesystem::path source() const { return (point() ? sweep() : *this).root() / "source"; }
  /// The copy of the working tree. The ranks start in it.
  [[nodiscard]] std::filesystem::path source_tree() const { return source() / "tree"; }
  [[nodiscard]] std::filesystem::path source_record() const { return source() / "record.json"; }
  [[nodiscard]] std::filesystem::path source_diff() const { return source() / "changes.diff"; }
  /// For the files of a command; it outlives the attempts.
  [[nodiscard]] std::filesystem::path output() const { return root_ / "output"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  [[nodiscard]] std::filesystem::path ledger() const { return root_ / "ledger"; }
  [[nodiscard]] std::filesystem::path ledger_of(const std::string& writer) const {
    return ledger() / (writer + ".jsonl");
  }
  [[nodiscard]] std::filesystem::path attempts() const { return root_ / "attempts"; }
  [[nodiscard]] std::filesystem::path attempt(int number) const {
    return attempts() / std::to_string(number);
  }
  [[nodiscard]] std::filesystem::path claim(int number) const { return attempt(number) / "claim.json"; }
  [[nodiscard]] std::filesystem::path logs(int attempt) const {
    return root_ / "logs" / ("attempt-" + std::to_string(attempt));
  }
  [[nodiscard]] std::filesystem::path out(int attempt, int rank) const {
    return logs(attempt) / ("rank-" + std::to_string(rank) + ".out");
  }
  [[nodiscard]] std::filesystem::path err(int attempt, int rank) const {
    return logs(attempt) / ("rank-" + std::to_string(rank) + ".err");
  }
  /// How the two logs of a rank grew by turns; absent where they did not.
  [[nodiscard]] std::filesystem::path log_order(int attempt, int rank) const {
    return logs(attempt) / ("rank-" + std::to_string(rank) + ".order");
  }
  /// What the batch script of a scheduler's job prints, head included. One script runs all points of a sweep.
  [[nodiscard]] std::filesystem::path job_output(const std::string& launcher,
                                                 const std::string& job_id) const {
    return (point() ? sweep() : *this).root() / "logs" / (launcher + "-" + job_id + ".out");
  }
  [[nodiscard]] std::filesystem::path head_log() const { return root_ / "logs" / "head.log"; }
  /// Of the agent of an ssh host.
  [[nodiscard]] std::filesystem::path node_log(int node_rank) const {
    return root_ / "logs" / ("node-" + std::to_string(node_rank) + ".log");
  }
  [[nodiscard]] std::filesystem::path exits(int attempt) const {
    return root_ / "exit" / ("attempt-" + std::to_string(attempt));
  }
  [[nodiscard]] std::filesystem::path exit_record(int attempt, int rank) const {
    return exits(attempt) / ("rank-" + std::to_string(rank) + ".json");
  }

  /// The record of a sweep, in its folder alone.
  [[nodiscard]] std::filesystem::path sweep_record() const { return root_ / "sweep.json"; }
  [[nodiscard]] std::filesystem::path points() const { return root_ / "points"; }
  /// The run folder of a point of this sweep.
  [[nodiscard]] RunFolder point_folder(int point) const {
    return RunFolder(points() / std::to_string(point));
  }
  /// The number of the point that this folder is for; nullopt: it is no point of a sweep.
  [[nodiscard]] std::optional<int> point() const;
  /// The folder of the sweep that this one is a point of.
  [[nodiscard]] RunFolder sweep() const { return RunFolder(root_.parent_path().parent_path()); }

  /// Makes the folder (0700) and ledger/, attempts/, logs/, exit/ in it. Refuses one that exists, and a place
  /// where every user could put another in its stead (Way::shared).
  [[nodiscard]] Expected<void> create(Durability durability = Durability::synced) const;
  /// Asked before the folder's files are used to start the run once more: it has to belong to this user, in a
  /// place that create() would have taken. Its mode is 0700 then.
  [[nodiscard]] Expected<void> secure() const;

  /// The number of the highest claimed attempt, -1 when there is none. A number that no head can have come to
  /// is an error.
  [[nodiscard]] Expected<int> highest_attempt() const;

  /// Claims the attempt after the highest one by mkdir, which only one caller can win, and writes its
  /// claim.json. The loser of a race tries the next number, a few times.
  [[nodiscard]] Expected<int> claim_attempt(const std::string& nonce, const std::string& job_id,
                                            int restart_count) const;

  /// The same for the attempt after `previous` and no other: for a head that goes on after its own.
  /// ExitCode::still_running: another head has it. After any other error it is not claimed.
  [[nodiscard]] Expected<int> claim_attempt_after(int previous, const std::string& nonce,
                                                  const std::string& job_id, int restart_count) const;

 private:
  std::filesystem::path root_;
};

}  // namespace ddp
