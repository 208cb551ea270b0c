#include "cli/output/run/description.hpp"

#include <fmt/format.h>

#include <tuple>

#include "cli/output/run/attempt_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/plan_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/quoted_lines.hpp"
#include "cli/output/run/report_text.hpp"
#include "cli/output/run/sweep_table.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using Instant = std::optional<system_clock::time_point>;

/// The rows of facts; one that is not known has none.
class FactTable {
 public:
  void add(std::string_view name, std::string fact) {
    if (!fact.empty()) rows_.push_back({std::string(name), std::move(fact)});
  }
  /// The lines after the first have no name of their own.
  void add_lines(std::string_view name, const std::vector<std::string>& lines) {
    for (const auto& line : lines) rows_.push_back({std::string(&line == &lines.front() ? name : ""), line});
  }
  [[nodiscard]] std::string render(std::optional<std::size_t> columns) const {
    return render_table(columns ? wrap_last_column(rows_, *columns) : rows_);
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "2026-11-21 20:15:04 (waited 3 min 2 s)"
std::string render_moment(Instant instant, std::string_view verb, std::optional<milliseconds> span) {
  if (!instant) return {};
  const auto time = render_local_time(*instant);
  return span ? fmt::format("{} ({} {})", time, verb, render_elapsed(*span)) : time;
}

bool is_before(Instant earlier, Instant later) {
  return earlier && later && *earlier < *later;
}

/// What was rerun has attempts, or points, that are older than its newest submission.
bool was_submitted_again(const RunStatus& status) {
  const auto first = status.attempts.empty() ? status.started : status.attempts.front().started;
  return is_before(first, status.submitted);
}

/// A run that starts, and a command that tells no steps, have none.
std::string render_way(const KnownRun& run, system_clock::time_point now) {
  const auto live = render_live(run, now);
  const auto progress = render_progress(run);
  return join_parts({progress.empty() && !live.empty() ? "no step reported yet" : progress, live});
}

void add_times(const RunStatus& status, system_clock::time_point now, FactTable& facts) {
  const auto spent = time_spent_by(status, now);
  const bool again = was_submitted_again(status);
  const bool is_older = is_before(status.started, status.submitted);  // of a sweep: that of its first point
  facts.add(again ? "submitted again" : "submitted", render_moment(status.submitted, "", {}));
  facts.add(is_older ? "first started"
            : again  ? "started again"
                     : "started",
            render_moment(status.started, "waited", is_older ? std::nullopt : spent.waited));
  facts.add("ended", render_moment(status.ended, "ran", spent.ran));
  if (!status.ended && spent.ran) facts.add("running for", render_elapsed(*spent.ran));
}

/// Where the files are that a run leaves.
void add_results(const KnownRun& run, FactTable& facts) {
  if (is_command(run)) {
    const bool is_elsewhere = run.plan && !run.plan->shared_folder;
    facts.add("output", is_elsewhere ? "on the hosts; to copy it here: ddpsubmit fetch " + run.pointer.run_id
                                     : run.output.string());
  } else if (run.checkpoint) {
    facts.add("checkpoint", run.checkpoint->folder.string());
  }
  if (!run.event_files.empty())
    facts.add("tensorboard", "tensorboard --logdir " + quote_on_one_line(run.event_files.string()));
  facts.add("folder", run.pointer.run_dir);
}

std::string render_copied_tree(const KnownRun& run) {
  if (!run.source || !run.source->copied) return {};
  return RunFolder(run.pointer.run_dir).source_tree().string();
}

/// What they are is shown only to those who ask: secrets may be among them.
std::string render_changes(const KnownRun& run) {
  if (!run.source || !run.source->dirty) return {};
  return *run.source->dirty ? "not committed, see: ddpsubmit describe " + run.pointer.run_id + " --diff"
                            : "none";
}

/// What was asked for, and of which source.
void add_plan(const KnownRun& run, FactTable& facts) {
  if (run.plan) {
    facts.add("command", render_command(*run.plan));
    facts.add("resources", render_resources(*run.plan));
    if (run.plan->time_limit) facts.add("time limit", render_elapsed(*run.plan->time_limit));
  }
  const auto& [commit, branch] = std::tie(run.status.commit, run.status.branch);
  facts.add("commit", commit + (branch.empty() ? "" : ", branch " + branch));
  facts.add("changes", render_changes(run));
  facts.add("runs in", render_copied_tree(run));
}

void add_cost(const KnownRun& run, FactTable& facts) {
  if (!run.report) return;
  facts.add("recovery", render_recovery(*run.report));
  const auto ratio = render_effective_ratio(*run.report);
  facts.add("ETTR", ratio.empty() ? "" : ratio + " effective training time");
}

std::vector<std::string> reasons_of(const RunStatus& status, system_clock::time_point now) {
  if (is_final(status.state)) return split_sentences(status.message);
  const auto reason = join_parts({status.message, render_expected_start(status, now)});
  return reason.empty() ? std::vector<std::string>{} : std::vector{reason};
}

/// Whoever reads this needs no advice to look here.
std::vector<std::string> next_steps_of(const KnownRun& run) {
  if (run.sweep || !is_final(run.status.state)) return {};
  auto steps = render_next_steps(run);
  std::erase_if(steps, [](const std::string& step) { return step.starts_with("ddpsubmit describe "); });
  return steps;
}

/// Why the run is in its state, and what to do about it.
void add_reasons(const KnownRun& run, system_clock::time_point now, FactTable& facts) {
  facts.add_lines("reason", reasons_of(run.status, now));
  facts.add("likely cause", find_likely_cause(run.status));
  facts.add_lines("next", next_steps_of(run));
}

std::string render_facts_of(const KnownRun& run, system_clock::time_point now,
                            std::optional<std::size_t> columns) {
  const auto& status = run.status;
  FactTable facts;
  facts.add("run", run.pointer.run_id);
  facts.add("state", words_of(status.state));
  add_reasons(run, now, facts);
  facts.add("progress", render_way(run, now));
  add_results(run, facts);
  facts.add("launcher", run.pointer.launcher);
  facts.add("job", status.job_id);
  add_plan(run, facts);
  add_times(status, now, facts);
  add_cost(run, facts);
  return facts.render(columns);
}

std::string render_said(const RunStatus& status) {
  if (!status.cause || status.cause->stderr_tail.empty()) return {};
  const auto whose =
      status.cause->rank ? fmt::format("stderr of rank {}", *status.cause->rank) : "job's output";
  return fmt::format("\nend of the {}\n", whose) + quote_lines(status.cause->stderr_tail);
}

}  // namespace

std::string render_description(const KnownRun& run, system_clock::time_point now,
                               std::optional<std::size_t> columns) {
  auto text = render_facts_of(run, now, columns) + render_said(run.status);
  for (const auto& attempt : run.status.attempts) text += render_attempt(run, attempt, columns);
  if (run.sweep) text += '\n' + render_sweep_table(run, now, columns);
  return text;
}

}  // namespace ddp::cli
