#include "cli/report/page/run_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/count_text.hpp"
#include "cli/output/run/attempt_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/plan_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/report_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/time_text.hpp"
#include "cli/report/page/html_table.hpp"
#include "cli/report/plot/plot_svg.hpp"
#include "cli/report/text/escape.hpp"
#include "cli/report/text/number_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostValueRows = 100;
constexpr std::size_t kMostTimelineRows = 60;

template <class Integer>
std::string integer_or_nothing(const std::optional<Integer>& value) {
  return value ? render_integer(static_cast<std::int64_t>(*value)) : "";
}

template <class Code>
std::string render_exit_of(const Code& ended) {
  if (ended.signal) return fmt::format("signal {} ({})", *ended.signal, signal_name(*ended.signal));
  return ended.code ? fmt::format("code {}", *ended.code) : "";
}

void add_known(Rows& rows, std::string name, std::string value) {
  if (!value.empty()) rows.push_back({std::move(name), std::move(value)});
}

bool has_not_ended(const KnownRun& run, const AttemptStatus& attempt) {
  return attempt.outcome.empty() && !is_final(run.status.state) &&
         attempt.number == run.status.newest_attempt();
}

std::string render_last_step(const KnownRun& run, const AttemptStatus& attempt) {
  if (attempt.last_step || !has_not_ended(run, attempt)) return integer_or_nothing(attempt.last_step);
  const auto step = reached_step(run);
  return step > 0 ? render_integer(step) : "";
}

std::string render_outcome_of(const KnownRun& run, const AttemptStatus& attempt) {
  if (!attempt.outcome.empty()) return words_of(attempt.outcome);
  return has_not_ended(run, attempt) ? words_of(run.status.state) : "no end recorded";
}

bool has_failed_visibly(const AttemptStatus& attempt) {
  return attempt.outcome == "failed" || attempt.outcome == "lost" || attempt.outcome == "timed_out";
}

std::string render_lasted(const AttemptStatus& attempt) {
  if (!attempt.started || !attempt.ended) return {};
  return render_span(duration_cast<milliseconds>(*attempt.ended - *attempt.started));
}

const AttemptReport* find_report(const KnownRun& run, int attempt) {
  if (!run.report) return nullptr;
  const auto found = std::ranges::find(run.report->attempts, attempt, &AttemptReport::number);
  return found == run.report->attempts.end() ? nullptr : &*found;
}

std::vector<RunPhase> phases_of_attempt(const std::vector<RunPhase>& phases, int attempt) {
  std::vector<RunPhase> own;
  std::ranges::copy_if(phases, std::back_inserter(own),
                       [&](const RunPhase& phase) { return phase.attempt == attempt; });
  return own;
}

std::string render_timeline_row(const ReportedRun& run, const AttemptStatus& attempt) {
  TimelineRow row{.phases = phases_of_attempt(run.phases, attempt.number),
                  .begin = run.phases.front().begin,
                  .end = run.phases.back().end,
                  .failed = has_failed_visibly(attempt)};
  const auto lasted = render_lasted(attempt);
  return fmt::format(
      "<tr><th scope=\"row\">attempt {}</th><td class=\"wide\">{}</td><td>{}</td></tr>", attempt.number,
      render_timeline_svg(row),
      escape_html(render_outcome_of(run.run, attempt) + (lasted.empty() ? "" : ", " + lasted)));
}

std::string render_timeline_ends(const ReportedRun& run) {
  const auto whole = duration_cast<milliseconds>(run.phases.back().end - run.phases.front().begin);
  return fmt::format(
      "<tr><td></td><td class=\"wide ends\"><span>{}</span><span>{} later</span></td><td></td></tr>",
      escape_html(render_zoned_time(run.phases.front().begin)), render_elapsed(whole));
}

/// The kinds of phases that the timeline has, with their colours.
std::string render_phase_legend(const std::vector<RunPhase>& phases) {
  std::string text;
  for (const auto kind : {RunPhaseKind::queued, RunPhaseKind::restarting, RunPhaseKind::starting,
                          RunPhaseKind::running, RunPhaseKind::hanging, RunPhaseKind::stopping}) {
    milliseconds sum{0};
    for (const auto& phase : phases)
      if (phase.kind == kind) sum += duration_cast<milliseconds>(phase.end - phase.begin);
    if (sum > milliseconds(0))
      text += fmt::format(
          "<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"p-{0}\" width=\"12\" "
          "height=\"12\"/></svg> {0}: {1}</li>",
          name_of(kind), render_span(sum));
  }
  return "<ul class=\"legend\">" + text + "</ul>";
}

std::vector<std::string> attempt_row(const ReportedRun& run, const AttemptStatus& attempt) {
  const auto* report = find_report(run.run, attempt.number);
  const auto cause = attempt.cause ? attempt.cause->what : "";
  std::string what = attempt.message.empty() ? cause : attempt.message;
  const bool is_newest = attempt.number == run.run.status.newest_attempt();
  const auto likely =
      attempt.likely_cause.empty() && is_newest ? find_likely_cause(run.run.status) : attempt.likely_cause;
  if (!likely.empty()) what += (what.empty() ? "likely cause: " : "; likely cause: ") + likely;
  for (const auto& remark : attempt.remarks) what += (what.empty() ? "" : "; ") + remark;
  return {std::to_string(attempt.number),
          render_outcome_of(run.run, attempt),
          render_zoned_time(attempt.started),
          render_lasted(attempt),
          fmt::format("{}", fmt::join(attempt.hosts, ", ")),
          integer_or_nothing(attempt.resumed_from),
          render_last_step(run.run, attempt),
          integer_or_nothing(report ? report->lost_steps : attempt.lost_steps),
          report ? render_span(report->detected_after) : "",
          report ? render_span(report->stepped_again_after) : "",
          std::move(what)};
}

std::vector<std::string> checkpoint_row(const SavedCheckpoint& saved) {
  return {render_integer(saved.step),
          std::to_string(saved.attempt),
          render_zoned_time(saved.time),
          saved.bytes ? render_file_size(static_cast<std::uint64_t>(std::max<std::int64_t>(0, *saved.bytes)))
                      : "",
          render_milliseconds(saved.stall_ms),
          render_milliseconds(saved.write_ms)};
}

/// The lines that have the same buckets as line `first`, which is the first of them.
std::vector<const PlotLine*> lines_beside(const Plot& plot, std::size_t first) {
  std::vector<const PlotLine*> lines;
  const auto* buckets = plot.lines[first].buckets.data();
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    if (plot.lines[i].buckets.data() != buckets) continue;
    if (i < first) return {};
    lines.push_back(&plot.lines[i]);
  }
  return lines;
}

std::string render_values(const Plot& plot, const std::vector<const PlotLine*>& lines) {
  const auto& all = lines.front()->buckets;
  const auto buckets = join_buckets(all, kMostValueRows);
  HtmlTable table{.caption = plot.title + (plot.unit.empty() ? "" : ", " + plot.unit),
                  .head = {"step", "time"},
                  .numbers = {0},
                  .one_line = {1}};
  std::vector<BucketValues> columns;
  for (const auto* line : lines) {
    table.numbers.push_back(table.head.size());
    table.head.push_back(line->label);
    columns.push_back(join_values(line->values, all, kMostValueRows));
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    std::vector<std::string> row{render_integer(buckets[i].step), render_zoned_time(buckets[i].time)};
    for (const auto& values : columns) row.push_back(values[i] ? render_number(values[i]->mean) : "");
    table.rows.push_back(std::move(row));
  }
  return render_html(table);
}

/// Of many runs the ends and the extremes.
std::string render_values_of_runs(const Plot& plot) {
  HtmlTable table{.caption = plot.title + (plot.unit.empty() ? "" : ", " + plot.unit),
                  .head = {"run", "first", "last", "lowest", "highest"},
                  .numbers = {1, 2, 3, 4}};
  for (const auto& line : plot.lines) {
    std::vector<BucketValue> known;
    for (const auto& value : line.values)
      if (value) known.push_back(*value);
    if (known.empty()) continue;
    table.rows.push_back({line.label, render_number(known.front().mean), render_number(known.back().mean),
                          render_number(std::ranges::min(known, {}, &BucketValue::lowest).lowest),
                          render_number(std::ranges::max(known, {}, &BucketValue::highest).highest)});
  }
  return render_html(table);
}

}  // namespace

std::string render_cause_html(const KnownRun& run) {
  const auto& status = run.status;
  if (run.printed)
    return fmt::format("<h3>Last lines of rank {} on stderr</h3><pre tabindex=\"0\">{}</pre>",
                       *run.printed->rank, escape_html(run.printed->stderr_tail));
  Rows rows;
  if (!is_final(status.state) || status.state == RunState::succeeded) return {};
  add_known(rows, "message", status.message);
  if (const auto& cause = status.cause) {
    add_known(rows, "first failure", cause->what);
    add_known(rows, "likely cause", find_likely_cause(status));
    add_known(rows, "rank", cause->rank ? std::to_string(*cause->rank) : "");
    add_known(rows, "host", cause->host);
    add_known(rows, "ended with", render_exit_of(*cause));
    add_known(rows, "phase", cause->phase);
    add_known(rows, "last step", integer_or_nothing(cause->last_step));
    add_known(rows, "since", render_zoned_time(cause->since));
  }
  auto html = render_html({.caption = "The first failure", .rows = std::move(rows), .look = "facts"});
  if (status.cause && !status.cause->stderr_tail.empty()) {
    const auto whose = status.cause->rank ? fmt::format("of rank {}", *status.cause->rank) : "of the job";
    html += fmt::format("<h3>Last lines {} on stderr</h3><pre tabindex=\"0\">{}</pre>", whose,
                        escape_html(status.cause->stderr_tail));
  }
  return html;
}

std::string render_timeline_html(const ReportedRun& run) {
  if (run.phases.empty()) return {};
  std::string rows;
  const auto& attempts = run.run.status.attempts;
  for (std::size_t i = 0; i < std::min(attempts.size(), kMostTimelineRows); ++i)
    rows += render_timeline_row(run, attempts[i]);
  auto html = fmt::format(
      "<table class=\"timeline\"><caption>Time of each attempt</caption><tbody>{}{}</tbody></table>{}", rows,
      render_timeline_ends(run), render_phase_legend(run.phases));
  if (attempts.size() > kMostTimelineRows)
    html += fmt::format("<p class=\"note\">The timeline shows the first {} of {} attempts.</p>",
                        kMostTimelineRows, attempts.size());
  return html;
}

std::string render_attempts_html(const ReportedRun& run) {
  HtmlTable table{
      .caption = "Attempts",
      .head = {"attempt", "outcome", "started", "lasted", "hosts", "resumed from step", "last step",
               "lost steps", "detected in", "first step again after", "what happened"},
      .numbers = {0, 5, 6, 7, 8, 9},
      .one_line = {2, 3},
      .look = "attempts"};
  for (const auto& attempt : run.run.status.attempts) table.rows.push_back(attempt_row(run, attempt));
  auto html = render_html(table);
  const auto& report = run.run.report;
  if (!report) return html;
  const auto recovery = render_recovery(*report);
  const auto ratio = render_effective_ratio(*report);
  const bool is_rerun = report->attempts.size() < run.run.status.attempts.size();
  if (!recovery.empty())
    html += fmt::format("<p>{}{}.</p>", is_rerun ? "Since the newest start: " : "", escape_html(recovery));
  if (!ratio.empty())
    html += fmt::format(
        "<p>ETTR: of {} between the {} start and the end, {} ({}) were spent on steps that count.</p>",
        render_span(duration_cast<milliseconds>(*report->wall_clock)), is_rerun ? "newest" : "first",
        render_span(duration_cast<milliseconds>(*report->trained)), ratio);
  return html;
}

std::string render_ranks_html(const ReportedRun& run) {
  if (run.run.status.attempts.empty()) return {};
  const auto& attempt = run.run.status.attempts.back();
  HtmlTable table{.caption = fmt::format("Ranks of attempt {}", attempt.number),
                  .head = {"rank", "host", "ended with", "ended", "phase", "last step"},
                  .numbers = {0, 5}};
  for (const auto& rank : attempt.ranks)
    table.rows.push_back({std::to_string(rank.rank), rank.host, render_exit_of(rank),
                          render_rank_end(run.run, attempt, rank), rank.phase,
                          integer_or_nothing(rank.last_step)});
  return render_html(table);
}

std::string render_checkpoints_html(const ReportedRun& run) {
  HtmlTable table{.caption = "Checkpoints",
                  .head = {"step", "attempt", "written", "size", "training waited", "write took"},
                  .numbers = {0, 1, 3, 4, 5},
                  .one_line = {2}};
  for (const auto& saved : run.checkpoints) table.rows.push_back(checkpoint_row(saved));
  HtmlTable failed{.caption = "Checkpoints that were not written",
                   .head = {"step", "attempt", "time", "reason"},
                   .numbers = {0, 1},
                   .one_line = {2},
                   .look = "reasons"};
  for (const auto& lost : run.failed_checkpoints)
    failed.rows.push_back({render_integer(lost.step), std::to_string(lost.attempt),
                           render_zoned_time(lost.time), lost.message});
  auto html = render_html(table);
  if (!failed.rows.empty()) html += "<h3>Checkpoints that were not written</h3>" + render_html(failed);
  if (run.run.checkpoint)
    html += fmt::format("<p>The newest checkpoint is that of step {}: <code>{}</code></p>",
                        render_integer(static_cast<std::int64_t>(run.run.checkpoint->step)),
                        escape_html(run.run.checkpoint->folder.string()));
  return html;
}

std::string render_settings_html(const ReportedRun& run) {
  HtmlTable table{
      .caption = "Settings and where they come from", .head = {"key", "value", "origin"}, .look = "settings"};
  for (const auto& fact : run.facts)
    if (fact.section == "settings" || fact.section == "data")
      table.rows.push_back({fact.key, fact.text, fact.origin});
  return render_html(table);
}

std::string render_facts_html(const ReportedRun& run) {
  const auto& known = run.run;
  const auto& status = known.status;
  Rows rows;
  add_known(rows, "run", known.pointer.run_id);
  add_known(rows, "state", words_of(status.state));
  add_known(rows, "launcher", known.pointer.launcher);
  add_known(rows, "job", status.job_id);
  if (known.plan) {
    add_known(rows, "command", render_command(*known.plan));
    add_known(rows, "resources", render_resources(*known.plan));
    if (known.plan->time_limit) add_known(rows, "time limit", render_elapsed(*known.plan->time_limit));
  }
  for (const auto& fact : run.facts)
    if (fact.section == "code" || fact.section == "hosts") add_known(rows, fact.key, fact.text);
  for (const auto& fact : run.facts)
    if (fact.section == "versions") add_known(rows, "version of " + fact.key, fact.text);
  add_known(rows, "submitted", render_zoned_time(status.submitted));
  add_known(rows, "started", render_zoned_time(status.started));
  add_known(rows, "ended", render_zoned_time(status.ended));
  add_known(rows, "run folder", known.pointer.run_dir);
  return render_html({.caption = "What ran, and where", .rows = std::move(rows), .look = "facts"});
}

std::string render_values_html(const Plot& plot) {
  const bool of_runs = std::ranges::any_of(plot.lines, [](const PlotLine& line) { return line.run != 0; });
  if (of_runs) return render_values_of_runs(plot);
  std::string html;
  for (std::size_t first = 0; first < plot.lines.size(); ++first) {
    const auto lines = lines_beside(plot, first);
    if (!lines.empty()) html += render_values(plot, lines);
  }
  return html;
}

}  // namespace ddp::cli
