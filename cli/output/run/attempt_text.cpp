#include "cli/output/run/attempt_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/count_text.hpp"
#include "cli/output/line_wrap.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/report_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"
#include "ddp/jobenv/phase.hpp"
#include "jobenv/record/exit_record.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;

bool may_run(const RunStatus& run, const AttemptStatus& attempt) {
  return !is_final(run.state) && attempt.number == run.attempts.back().number;
}

/// What is said of a rank without an end.
std::string_view word_for_no_end(const RunStatus& run, const AttemptStatus& attempt) {
  return may_run(run, attempt) ? "running" : "no record";
}

std::string render_outcome(const RunStatus& run, const AttemptStatus& attempt) {
  if (!attempt.outcome.empty()) return words_of(attempt.outcome);
  const bool runs = run.state == RunState::running || run.state == RunState::restarting;
  return runs && may_run(run, attempt) ? words_of(run.state) : "no end recorded";
}

std::string render_exit(const RankStatus& rank, std::string_view no_end) {
  if (rank.signal) return fmt::format("signal {} ({})", *rank.signal, signal_name(*rank.signal));
  if (rank.code) return fmt::format("code {}", *rank.code);
  return std::string(rank.ended ? "ended" : no_end);
}

/// "started 2026-11-21 20:15:04, ran 3 min 2 s"
std::string render_times(const AttemptStatus& attempt) {
  if (!attempt.started) return {};
  auto text = "started " + render_local_time(*attempt.started);
  if (attempt.ended)
    text += ", ran " + render_elapsed(duration_cast<milliseconds>(*attempt.ended - *attempt.started));
  return text;
}

/// "on n1, n2; head on n1"; the head of a single host stands there, too.
std::string render_place(const AttemptStatus& attempt) {
  const bool alone = attempt.hosts.size() == 1 && attempt.hosts.front() == attempt.host;
  return join_parts({attempt.hosts.empty() ? "" : fmt::format("on {}", fmt::join(attempt.hosts, ", ")),
                     alone || attempt.host.empty() ? "" : "head on " + attempt.host});
}

std::string render_steps(const AttemptStatus& attempt) {
  std::string resumed =
      attempt.resumed_from ? fmt::format("resumed from step {}", *attempt.resumed_from) : "";
  std::string last = attempt.last_step ? fmt::format("last step {}", *attempt.last_step) : "";
  const auto lost = attempt.lost_steps.value_or(0);
  return join_parts({std::move(resumed), std::move(last),
                     lost > 0 ? render_count(static_cast<std::size_t>(lost), "step") + " lost" : ""});
}

std::string render_threads(const AttemptStatus& attempt) {
  return attempt.omp_num_threads.empty() ? "" : "OMP_NUM_THREADS=" + attempt.omp_num_threads;
}

/// Of a run that was not restarted there is nothing that a failure has cost it.
std::string render_recovery_of(int attempt, const std::optional<RunReport>& report) {
  if (!report || report->attempts.size() < 2) return {};
  const auto found = std::ranges::find(report->attempts, attempt, &AttemptReport::number);
  return found == report->attempts.end() ? "" : render_recovery(*found);
}

/// Where the reason of the run, above all attempts, says it already, it is not said again.
std::string render_message(const KnownRun& run, const AttemptStatus& attempt) {
  const auto& reason = run.status.message;
  const bool newest = attempt.number == run.status.newest_attempt();
  const bool said = attempt.message == reason || (newest && reason.starts_with(attempt.message + ". "));
  return said ? "" : attempt.message;
}

/// A requeue count is Slurm's.
std::string render_facts(const KnownRun& run, const AttemptStatus& attempt) {
  const std::string requeued =
      attempt.restart_count > 0
          ? fmt::format("the job had been requeued {} before",
                        render_count(static_cast<std::size_t>(attempt.restart_count), "time"))
          : "";
  std::string text;
  for (const auto& fact : {render_times(attempt), render_place(attempt), requeued, render_steps(attempt),
                           render_threads(attempt), render_message(run, attempt),
                           attempt.likely_cause.empty() ? "" : "likely cause: " + attempt.likely_cause,
                           render_recovery_of(attempt.number, run.report)})
    text += fact.empty() ? "" : "  " + fact + '\n';
  for (const auto& rank : attempt.ranks) {
    if (!rank.killed.empty())
      text += fmt::format("  the first process of rank {} had ended; {} went on and was killed\n", rank.rank,
                          rank.killed);
  }
  for (const auto& remark : attempt.remarks) text += "  " + remark + '\n';
  for (const auto& warning : attempt.warnings) text += "  warning: " + warning + '\n';
  return text;
}

/// A command that has told no step may be anywhere, not only at its start.
std::string render_phase(const RankStatus& rank, const KnownRun& run) {
  const bool unknown = is_command(run) && !rank.last_step && rank.phase == name_of(Phase::start);
  return unknown ? "-" : or_dash(rank.phase);
}

std::string render_ranks(const KnownRun& run, const AttemptStatus& attempt) {
  if (attempt.ranks.empty()) return {};
  const bool lives = run.live && run.live->attempt == attempt.number;
  std::vector<std::vector<std::string>> rows{
      {"  RANK", "HOST", "PID", "EXIT", "ENDED", "PHASE", "LAST STEP"}};
  if (lives) rows.front().emplace_back("USE");
  for (const auto& rank : attempt.ranks) {
    rows.push_back({fmt::format("  {}", rank.rank), or_dash(rank.host), std::to_string(rank.pid),
                    render_exit(rank, word_for_no_end(run.status, attempt)),
                    or_dash(render_rank_end(run, attempt, rank)), render_phase(rank, run),
                    rank.last_step ? std::to_string(*rank.last_step) : "-"});
    if (lives) rows.back().push_back(or_dash(render_use(*run.live, rank.rank)));
  }
  return render_table(rows);
}

}  // namespace

std::string render_attempt(const KnownRun& run, const AttemptStatus& attempt,
                           std::optional<std::size_t> columns) {
  return fmt::format("\nattempt {}: {}\n", attempt.number, render_outcome(run.status, attempt)) +
         wrap_lines(render_facts(run, attempt), columns) + render_ranks(run, attempt);
}

bool failed_first(const KnownRun& run, const AttemptStatus& attempt, int rank) {
  const bool newest = attempt.number == run.status.newest_attempt();
  const auto& cause = attempt.cause || !newest ? attempt.cause : run.status.cause;
  return cause && cause->rank == rank;
}

std::string render_rank_end(const KnownRun& run, const AttemptStatus& attempt, const RankStatus& rank) {
  const bool stopped = rank.ended_by == name_of(EndedBy::agent);
  if (failed_first(run, attempt, rank.rank))
    return stopped ? "failed first, and was stopped" : "failed first";
  if (stopped) return "stopped by ddpsubmit";
  if (rank.ended_by.empty()) return {};
  // Nobody of the run has sent the signal: it came from outside, or from the rank itself.
  return rank.signal ? "by the signal" : "by itself";
}

}  // namespace ddp::cli
