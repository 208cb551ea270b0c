#include "cli/launch/state/lost_submission.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "cli/store/recorded_jobs.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/ledger/submission_token.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A submission takes less, so that without a lock an older one is surely over.
constexpr std::chrono::minutes kLongestSubmission{10};

// A lock may hold on one host only: elsewhere a submission that goes on cannot be told from a lost one.
constexpr std::chrono::minutes kUsualSubmission{5};

/// A run without an answer, and the lock that keeps others from submitting it meanwhile.
struct LostSubmission {
  RunPointer run;
  RunStatus* status;
  FileDescriptor lock;
  bool may_go_on = false;  ///< the intent is young, and the lock tells nothing here
};

/// The job of one, and the cluster that has shown it; empty: it is not known.
struct FoundJob {
  std::string id;
  std::string cluster;
};

/// Whether the run was submitted by itself. A point of a sweep may have been submitted with others: then the
/// sweep is completed.
bool is_own_submission(const RunPointer& run, const RunStatus& status) {
  const RunFolder folder(run.run_dir);
  if (!folder.point() || load_script_token(folder) == status.token) return true;
  return load_file(folder.ledger_of("submit")).value_or("").find(status.token) != std::string::npos;
}

/// nullopt when somebody still submits the run, or somebody else has just completed it.
std::optional<LostSubmission> take(const RunPointer& run, RunStatus& status, const System& system) {
  auto lock = lock_submission(RunFolder(run.run_dir));
  if (!lock && lock.error().code == ExitCode::still_running) {
    status.state = RunState::queued;
    status.message = "it is being submitted";
    return std::nullopt;
  }
  status = load_recorded_status(run);
  if (!status.awaits_answer) return std::nullopt;
  const auto now = system.clock.now();
  const auto age = now - status.submitted.value_or(now);
  const bool elsewhere = !status.submit_host.empty() && status.submit_host != system.host.name();
  const bool may_go_on = (!lock && age < kLongestSubmission) || (elsewhere && age < kUsualSubmission);
  return LostSubmission{run, &status, lock ? std::move(*lock) : FileDescriptor(), may_go_on};
}

/// The job that a log of the scheduler in the folder names, and nothing else yet: it is known even when the
/// scheduler has forgotten the job.
std::optional<std::string> job_of_log(const RunFolder& folder, const std::string& launcher) {
  const std::string before = launcher + "-";
  constexpr std::string_view kBehind = ".out";
  const auto known = load_recorded_jobs(folder);
  std::error_code error;
  for (fs::directory_iterator entry(folder.root() / "logs", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(before) || !name.ends_with(kBehind)) continue;
    auto job = name.substr(before.size(), name.size() - before.size() - kBehind.size());
    job = job.substr(0, job.find('_'));  // of a task of an array
    if (!known.contains(job)) return job;
  }
  return std::nullopt;
}

template <class Event>
Expected<void> append(const RunPointer& run, const Event& event, const LauncherSeams& seams) {
  const auto time =
      std::chrono::duration_cast<milliseconds>(seams.system.clock.now().time_since_epoch()).count();
  auto ledger = LedgerWriter::open(RunFolder(run.run_dir), fmt::format("found-{}-{}", getpid(), time));
  return ledger ? ledger->append(event) : tl::unexpected(ledger.error());
}

Expected<void> record_job(const FoundJob& job, RunPointer run, const std::string& token,
                          const LauncherSeams& seams) {
  auto recorded = append(run,
                         event::Submitted{.launcher = run.launcher,
                                          .host = seams.system.host.name(),
                                          .token = token,
                                          .job_id = job.id,
                                          .cluster = job.cluster,
                                          .found = true},
                         seams);
  if (!recorded || RunFolder(run.run_dir).point()) return recorded;  // a point is found through its sweep
  run.job_id = job.id;
  const auto store = RunStore::open(seams.submitter);
  return store ? store->save(run) : tl::unexpected(store.error());
}

Expected<void> record_absence(const RunPointer& run, const std::string& token, const LauncherSeams& seams) {
  return append(
      run,
      event::SubmitRefused{.token = token,
                           .message = "ddpsubmit ended before the job was queued: nothing was submitted"},
      seams);
}

/// What could not be recorded, on a full disk say, counts for this command all the same.
void take_job(const FoundJob& job, RunStatus& status) {
  status.job_id = job.id;
  if (!job.cluster.empty()) status.cluster = job.cluster;
  status.state = RunState::queued;
  status.awaits_answer = false;
}

/// The absence of a job whose answer may be lost proves nothing.
void explain_doubt(const JobSighting& sighting, RunStatus& status) {
  if (!sighting.words.empty()) status.message += ", and the state of its job is unknown: " + sighting.words;
  if (sighting.presence == JobPresence::absent && status.submission_damaged)
    status.message += ": its record cannot be read, and no job has its token " + status.token;
}

void conclude(const JobSighting& sighting, const std::string& cluster, const LostSubmission& lost,
              const LauncherSeams& seams) {
  auto& status = *lost.status;
  const bool absent =
      sighting.presence == JobPresence::absent && !lost.may_go_on && !status.submission_damaged;
  if (sighting.presence != JobPresence::found && !absent) return explain_doubt(sighting, status);
  const auto recorded = absent ? record_absence(lost.run, status.token, seams)
                               : record_job({sighting.job_id, cluster}, lost.run, status.token, seams);
  if (recorded) {
    status = load_recorded_status(lost.run);
    return;
  }
  status.message = recorded.error().message;
  if (!absent) take_job({sighting.job_id, cluster}, status);
}

/// Empty: there is none, or it is not known.
Expected<std::string> ask_cluster(Launcher& launcher) {
  auto* const queue = launcher.queue();
  return queue != nullptr ? queue->ask_cluster() : std::string();
}

/// Why the absence of a job proves nothing; empty: it does.
std::string doubt_absence(const RunStatus& status, Launcher& launcher) {
  const auto here = ask_cluster(launcher);
  if (!here) return here.error().message;
  if (here->empty() || *here == status.cluster) return {};
  return fmt::format("the run was submitted to cluster {}, but this host belongs to cluster {}",
                     status.cluster, *here);
}

/// That of a job which the launcher has just been shown, unless the intent names it: a submission that was
/// not checked names none. It is asked once for all; who does not tell leaves it unknown.
std::string name_cluster(const JobSighting& sighting, const RunStatus& status, Launcher& launcher) {
  if (sighting.presence != JobPresence::found || !status.cluster.empty()) return {};
  return ask_cluster(launcher).value_or("");
}

void doubt_other_clusters(const std::vector<LostSubmission>& lost, Launcher& launcher,
                          std::vector<JobSighting>& sightings) {
  for (std::size_t index = 0; index < lost.size(); ++index) {
    const auto& status = *lost[index].status;
    if (sightings[index].presence != JobPresence::absent || status.cluster.empty()) continue;
    auto words = doubt_absence(status, launcher);
    if (!words.empty()) sightings[index] = {.words = std::move(words)};
  }
}

void complete(Launcher* launcher, std::vector<LostSubmission> lost, const LauncherSeams& seams) {
  std::erase_if(lost, [&](const LostSubmission& one) {
    // It may be the log of an earlier submission, whose answer is lost, too.
    if (one.status->submission_damaged) return false;
    const auto job = job_of_log(RunFolder(one.run.run_dir), one.run.launcher);
    // Its log is in the folder: this host's cluster need not be the one that wrote it.
    if (job) conclude({.presence = JobPresence::found, .job_id = *job}, {}, one, seams);
    return job.has_value();
  });
  if (lost.empty() || launcher == nullptr) return;
  std::vector<LostJob> jobs;
  for (const auto& one : lost)
    jobs.push_back(
        {one.status->token, RunFolder(one.run.run_dir), one.status->submitted, one.status->newest_attempt()});
  auto sightings = launcher->find_jobs(jobs);
  doubt_other_clusters(lost, *launcher, sightings);
  for (std::size_t index = 0; index < lost.size(); ++index) {
    const auto cluster = name_cluster(sightings[index], *lost[index].status, *launcher);
    conclude(sightings[index], cluster, lost[index], seams);
  }
}

}  // namespace

void complete_lost_submissions(std::span<const RunPointer> runs, std::span<RunStatus> states,
                               const LauncherSeams& seams, const LauncherOf& launcher_of) {
  std::map<std::string, std::vector<LostSubmission>> by_launcher;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (!states[index].awaits_answer || !is_own_submission(runs[index], states[index])) continue;
    if (auto lost = take(runs[index], states[index], seams.system))
      by_launcher[runs[index].launcher].push_back(std::move(*lost));
  }
  if (by_launcher.empty()) return;
  for (auto& [launcher, lost] : by_launcher) complete(launcher_of(launcher), std::move(lost), seams);
  // While its lock was held, points that were never submitted seemed to be about to be.
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (!states[index].points.empty()) states[index] = load_recorded_status(runs[index]);
  }
}

}  // namespace ddp::cli
