#include "cli/output/run_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "cli/output/live_text.hpp"
#include "cli/output/plan_text.hpp"
#include "cli/output/report_text.hpp"
#include "cli/output/sweep_table.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"
#include "ddp/jobenv/phase.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using Instant = std::optional<system_clock::time_point>;

std::string time_or_dash(std::optional<milliseconds> time) {
  return time ? render_elapsed(*time) : "-";
}

std::string running_time(const RunStatus& status, system_clock::time_point now) {
  return time_or_dash(time_spent_by(status, now).ran);
}

/// Of a run that waits, for how long; of others how long they ran.
std::string render_time_spent(const RunStatus& status, system_clock::time_point now) {
  const auto spent = time_spent_by(status, now);
  if (status.state != RunState::queued) return time_or_dash(spent.ran);
  const auto waited = spent.waited ? "waits " + render_age(*spent.waited) : "-";
  return spent.ran ? fmt::format("ran {}, waits again", render_elapsed(*spent.ran)) : waited;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string state_words(RunState state) {
  return state == RunState::timed_out ? "ran out of time" : fmt::format("{}", name_of(state));
}

std::string indent(const std::string& text) {
  std::string indented;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    indented += "   | " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return indented;
}

/// Never one that would print nothing.
std::string next_command(const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  const auto& cause = run.status.cause;
  if (!cause || !cause->rank) return "ddpsubmit describe " + id;
  if (!cause->stderr_tail.empty())
    return fmt::format("ddpsubmit logs {} --rank {} --stderr", id, *cause->rank);
  if (run.cause_printed) return fmt::format("ddpsubmit logs {} --rank {}", id, *cause->rank);
  return "ddpsubmit describe " + id;
}

/// A training that ended before it was done goes on from its newest checkpoint, if that can be read.
bool can_go_on(const KnownRun& run) {
  const auto& cause = run.status.cause;
  const bool unreadable = cause && cause->code == static_cast<int>(ExitCode::no_valid_checkpoint);
  return run.checkpoint && is_final(run.status.state) && run.status.state != RunState::succeeded &&
         !unreadable;
}

std::string render_next(const KnownRun& run) {
  std::string text;
  if (!can_go_on(run) || run.status.state == RunState::failed) text = "  next: " + next_command(run) + '\n';
  if (!can_go_on(run)) return text;
  const auto& cause = run.status.cause;
  const bool misconfigured = cause && cause->code == static_cast<int>(ExitCode::config_invalid);
  return text + fmt::format("  next: {}ddpsubmit rerun {} (goes on after step {})\n",
                            misconfigured ? fmt::format("correct the cause (see {}/spec.yaml), then ",
                                                        run.pointer.run_dir)
                                          : "",
                            run.pointer.run_id, run.checkpoint->step);
}

bool may_run(const RunStatus& run, const AttemptStatus& attempt) {
  return !is_final(run.state) && attempt.number == run.attempts.back().number;
}

/// What is said of a rank without an end.
std::string_view word_for_no_end(const RunStatus& run, const AttemptStatus& attempt) {
  return may_run(run, attempt) ? "running" : "no record";
}

std::string_view render_outcome(const RunStatus& run, const AttemptStatus& attempt) {
  if (!attempt.outcome.empty()) return attempt.outcome;
  const bool runs = run.state == RunState::running || run.state == RunState::restarting;
  return runs && may_run(run, attempt) ? name_of(run.state) : "no end recorded";
}

std::string render_end(const RankStatus& rank, std::string_view no_end) {
  if (rank.signal) return fmt::format("signal {} ({})", *rank.signal, signal_name(*rank.signal));
  if (rank.code) return fmt::format("exit {}", *rank.code);
  return std::string(rank.ended ? "ended" : no_end);
}

/// "epoch 3, loss 0.0421", or as much of it as is known.
std::string render_metrics(const TrainingProgress& progress) {
  std::string text = progress.epoch ? fmt::format("epoch {}", *progress.epoch) : "";
  if (!progress.loss) return text;
  text += text.empty() ? "" : ", ";
  return text + fmt::format("{}loss {:.4f}", progress.kind == "evaluate" ? "test " : "", *progress.loss);
}

/// "step 1200, epoch 3, loss 0.0421", or, where more steps were done than logged, "step 1230 (epoch 3, loss
/// 0.0421 at step 1200)". Of an attempt that ended before it logged anything: "step 12".
std::string render_progress(const KnownRun& run) {
  const auto reached = reached_step(run);
  if (!run.progress) return reached > 0 ? render_step(reached, run) : "";
  if (const auto step = unlogged_step(run)) return render_step(*step, run);
  const auto& progress = *run.progress;
  const auto metrics = render_metrics(progress);
  auto text = render_step(reached, run);
  if (!metrics.empty() && reached > progress.step) {
    text += fmt::format(" ({} at step {})", metrics, progress.step);
  } else if (!metrics.empty()) {
    text += ", " + metrics;
  }
  const bool earlier = progress.attempt < run.status.newest_attempt();
  return text + (earlier ? fmt::format(" in attempt {}", progress.attempt) : "");
}

/// The scheduler's estimate; nothing when that time has come.
std::string render_expected_start(const RunStatus& status, system_clock::time_point now) {
  if (!status.expected_start || *status.expected_start <= now) return {};
  return fmt::format("expected to start at {}, in {}", render_local_time(*status.expected_start),
                     render_age(duration_cast<milliseconds>(*status.expected_start - now)));
}

std::string render_attempt_number(const RunStatus& status) {
  if (status.newest_attempt() <= 0) return {};
  const auto& newest = status.attempts.back();
  return fmt::format("attempt {}{}", newest.number,
                     newest.resumed_from ? fmt::format(" after step {}", *newest.resumed_from) : "");
}

std::string join_parts(std::initializer_list<std::string> parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() || part.empty() ? "" : "; ") + part;
  return text;
}

/// Why a run is in its state, and how far it is.
std::string render_reason(const KnownRun& run, system_clock::time_point now) {
  return join_parts({run.status.message, render_expected_start(run.status, now),
                     render_attempt_number(run.status), render_progress(run),
                     run.live ? render_live(*run.live, reached_step(run)) : ""});
}

std::string render_instant(Instant instant) {
  return instant ? render_time(*instant) : "-";
}

/// Where an attempt began, how far it came, and how it ended.
std::string render_way(const AttemptStatus& attempt) {
  std::string text;
  if (attempt.ended) text += fmt::format("  ended {}\n", render_time(*attempt.ended));
  if (!attempt.hosts.empty()) text += fmt::format("  on {}\n", fmt::join(attempt.hosts, ", "));
  if (attempt.restart_count > 0)
    text += fmt::format("  the job had been requeued {}×\n", attempt.restart_count);
  if (attempt.resumed_from) text += fmt::format("  resumed after step {}\n", *attempt.resumed_from);
  if (attempt.last_step) text += fmt::format("  last step {}\n", *attempt.last_step);
  if (!attempt.message.empty()) text += "  " + attempt.message + '\n';
  for (const auto& remark : attempt.remarks) text += "  " + remark + '\n';
  return text;
}

std::string render_recovery_of(int attempt, const std::optional<RunReport>& report) {
  if (!report) return {};
  const auto found = std::ranges::find(report->attempts, attempt, &AttemptReport::number);
  const auto text = found == report->attempts.end() ? "" : render_recovery(*found);
  return text.empty() ? "" : "  " + text + '\n';
}

bool is_command(const KnownRun& run) {
  return run.plan && run.plan->program == ProgramKind::command;
}

/// A command that has told no step may be anywhere, not only at its start.
std::string render_phase(const RankStatus& rank, const KnownRun& run) {
  const bool unknown = is_command(run) && !rank.last_step && rank.phase == name_of(Phase::start);
  return unknown ? "-" : or_dash(rank.phase);
}

/// Where the files are that a run leaves.
std::vector<std::string> render_result_row(const KnownRun& run) {
  if (is_command(run)) return {"output", or_dash(run.output.string())};
  return {"checkpoint", run.checkpoint ? run.checkpoint->folder.string() : "-"};
}

std::string render_attempt(const KnownRun& known, const AttemptStatus& attempt) {
  const auto& run = known.status;
  std::vector<std::vector<std::string>> rows{{"  RANK", "HOST", "PID", "END", "BY", "PHASE", "LAST STEP"}};
  const bool lives = known.live && known.live->attempt == attempt.number;
  if (lives) rows.front().emplace_back("USE");
  for (const auto& rank : attempt.ranks) {
    rows.push_back({fmt::format("  {}", rank.rank), or_dash(rank.host), std::to_string(rank.pid),
                    render_end(rank, word_for_no_end(run, attempt)), or_dash(rank.ended_by),
                    render_phase(rank, known), rank.last_step ? std::to_string(*rank.last_step) : "-"});
    if (lives) rows.back().push_back(or_dash(render_use(*known.live, rank.rank)));
  }
  const auto lost = attempt.lost_steps.value_or(0);
  return fmt::format("\nattempt {}: {}{}, head on {}, started {}\n", attempt.number,
                     render_outcome(run, attempt), lost > 0 ? fmt::format(" ({} steps lost)", lost) : "",
                     or_dash(attempt.host), render_instant(attempt.started)) +
         render_way(attempt) + render_recovery_of(attempt.number, known.report) +
         (attempt.ranks.empty() ? "" : render_table(rows));
}

std::string render_revision(const RunStatus& status) {
  return status.commit + (status.branch.empty() ? "" : ", branch " + status.branch);
}

/// What was asked for, and of which source.
void add_plan_rows(const KnownRun& run, std::vector<std::vector<std::string>>& rows) {
  if (run.plan) {
    rows.push_back({"command", render_command(*run.plan)});
    rows.push_back({"resources", render_resources(*run.plan)});
    const auto limit = run.plan->time_limit;
    rows.push_back({"limit", limit ? render_elapsed(*limit) : "-"});
  }
  if (!run.status.commit.empty()) rows.push_back({"commit", render_revision(run.status)});
}

/// Those that have something to say.
void add_report_rows(const KnownRun& run, std::vector<std::vector<std::string>>& rows) {
  if (!run.report) return;
  const auto recovery = render_recovery(*run.report);
  const auto ratio = render_effective_ratio(*run.report);
  if (!recovery.empty()) rows.push_back({"recovery", recovery});
  if (!ratio.empty()) rows.push_back({"ETTR", ratio + " effective training time"});
}

/// What its restarts have cost.
std::string render_restarts(const KnownRun& run) {
  if (!run.report || run.report->attempts.size() < 2) return {};
  const auto ratio = render_effective_ratio(*run.report);
  return fmt::format("  recovery: {}{}\n", render_recovery(*run.report),
                     ratio.empty() ? "" : "; effective training time " + ratio);
}

/// The table of its points says the rest.
std::string render_sweep_verdict(const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  if (run.status.state == RunState::succeeded) {
    return fmt::format("sweep {} succeeded in {}: {}\n", id,
                       running_time(run.status, run.status.ended.value_or(system_clock::time_point{})),
                       run.status.message);
  }
  const auto point = std::ranges::find_if(
      run.points, [](const KnownRun& each) { return each.status.state != RunState::succeeded; });
  std::string text =
      fmt::format("error: sweep {} {}: {}\n", id, state_words(run.status.state), run.status.message);
  if (point != run.points.end())
    text += fmt::format("  next: ddpsubmit describe {}\n", point->pointer.run_id);
  return text + fmt::format("  next: ddpsubmit rerun {} (the points that did not succeed)\n", id);
}

}  // namespace

std::string render_verdict(const KnownRun& run) {
  const auto& status = run.status;
  if (run.sweep) return render_sweep_verdict(run);
  if (status.state == RunState::succeeded) {
    const auto end = fmt::format("run {} succeeded in {}\n", run.pointer.run_id,
                                 running_time(status, status.ended.value_or(system_clock::time_point{})));
    const auto recovered = end + render_restarts(run);
    if (!run.checkpoint || !run.checkpoint->parameters) return recovered;
    return recovered + "  parameters: " + run.checkpoint->parameters->string() + '\n';
  }
  const auto words = state_words(status.state);
  std::string text = fmt::format("error: run {} ", run.pointer.run_id);
  if (!status.message.starts_with(words)) text += words + (status.message.empty() ? "" : ": ");
  text += status.message + '\n';
  if (status.cause && !status.cause->stderr_tail.empty()) text += indent(status.cause->stderr_tail);
  return text + render_restarts(run) + render_next(run);
}

std::string render_run_list(const std::vector<KnownRun>& runs, system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows{{"RUN", "NAME", "LAUNCHER", "STATE", "AGE", "JOB"}};
  for (const auto& run : runs) {
    rows.push_back(
        {run.pointer.run_id, run.pointer.name, run.pointer.launcher, std::string(name_of(run.status.state)),
         render_age(duration_cast<milliseconds>(now - run.pointer.created)), or_dash(run.pointer.job_id)});
  }
  return render_table(rows);
}

std::string render_run_states(const std::vector<KnownRun>& runs, system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& run : runs) {
    const auto& status = run.status;
    rows.push_back({run.pointer.run_id, std::string(name_of(status.state)), render_time_spent(status, now),
                    render_reason(run, now)});
  }
  std::string text = render_table(rows);
  for (const auto& run : runs) {
    if (run.sweep) text += '\n' + render_sweep_table(run, now);
  }
  return text;
}

std::string render_description(const KnownRun& run, system_clock::time_point now) {
  const auto& status = run.status;
  const auto spent = time_spent_by(status, now);
  std::vector<std::vector<std::string>> rows{
      {"run", run.pointer.run_id},
      {"name", run.pointer.name},
      {"state", std::string(name_of(status.state))},
      {"reason", or_dash(join_parts({status.message, render_expected_start(status, now)}))},
      {"progress", or_dash(render_progress(run))},
      render_result_row(run),
      {"launcher", run.pointer.launcher},
      {"job", or_dash(status.job_id)},
      {"folder", run.pointer.run_dir},
      {"submitted", render_instant(status.submitted)},
      {"started", render_instant(status.started)},
      {"ended", render_instant(status.ended)},
      {"waited", time_or_dash(spent.waited)},
      {"ran", time_or_dash(spent.ran)},
  };
  add_plan_rows(run, rows);
  add_report_rows(run, rows);
  std::string text = render_table(rows);
  if (status.cause && !status.cause->stderr_tail.empty()) {
    text += fmt::format("\nend of the {}\n", status.cause->rank ? "cause's stderr" : "job's output") +
            indent(status.cause->stderr_tail);
  }
  for (const auto& attempt : status.attempts) text += render_attempt(run, attempt);
  if (run.sweep) text += '\n' + render_sweep_table(run, now);
  return text;
}

}  // namespace ddp::cli
