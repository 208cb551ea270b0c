#include "cli/report/page/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/count_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/report/model/run_label.hpp"
#include "cli/report/model/setting_differences.hpp"
#include "cli/report/page/headline.hpp"
#include "cli/report/page/html_table.hpp"
#include "cli/report/page/page_data.hpp"
#include "cli/report/page/page_parts.hpp"
#include "cli/report/page/page_policy.hpp"
#include "cli/report/page/run_tables.hpp"
#include "cli/report/plot/plot_svg.hpp"
#include "cli/report/text/escape.hpp"
#include "cli/report/text/number_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostSettingColumns = 6;
constexpr std::size_t kMostRunColumns = 12;
constexpr std::size_t kMostValidationColumns = 4;

bool is_about_one_run(const ReportModel& model) {
  return model.runs.size() == 1 && model.sweeps.empty();
}

std::string render_key_numbers(const std::vector<KeyNumber>& numbers) {
  std::string text;
  for (const auto& number : numbers)
    text += fmt::format(
        "<div><dt>{}</dt><dd>{}</dd>{}</div>", escape_html(number.label), escape_html(number.value),
        number.note.empty() ? "" : "<dd class=\"small\">" + escape_html(number.note) + "</dd>");
  return text.empty() ? "" : "<dl class=\"numbers\">" + text + "</dl>";
}

std::string render_head_of(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto likely = find_likely_cause(run.status);
  const auto story = render_story(run);
  return fmt::format("<h1><span class=\"state s-{}\">{}</span> {}</h1>{}{}", name_of(run.status.state),
                     words_of(run.status.state), escape_html(render_headline(run, now)),
                     likely.empty() ? "" : "<p>Likely cause: " + escape_html(likely) + "</p>",
                     story.empty() ? "" : "<p>" + escape_html(story) + "</p>");
}

std::string render_written(const ReportModel& model) {
  return fmt::format("<p class=\"note\">Written at {} by ddpsubmit {}.</p>",
                     escape_html(render_zoned_time(model.now)), DDP_VERSION);
}

std::string title_of(const ReportModel& model) {
  if (is_about_one_sweep(model)) return render_headline(model.sweeps.front(), model.now);
  if (is_about_one_run(model)) return render_headline(model.runs.front().run, model.now);
  return render_count(model.runs.size(), "run") + " side by side";
}

std::string render_header(const ReportModel& model) {
  std::string text;
  if (is_about_one_sweep(model)) {
    text += render_head_of(model.sweeps.front(), model.now);
  } else if (is_about_one_run(model)) {
    text += render_head_of(model.runs.front().run, model.now);
    text += render_key_numbers(key_numbers_of(model.runs.front(), model.now));
  } else {
    text += fmt::format("<h1>{} side by side</h1>", render_count(model.runs.size(), "run"));
    for (const auto& sweep : model.sweeps)
      text += fmt::format("<p>{}</p>",
                          escape_html(join_parts({render_headline(sweep, model.now), render_story(sweep)})));
  }
  return "<header>" + text + render_written(model) + "</header>";
}

constexpr std::string_view kControls =
    R"(<div class="controls" id="controls" hidden><fieldset><legend>Horizontal axis</legend>)"
    R"(<label><input type="radio" name="axis" value="step" checked> step</label>)"
    R"(<label><input type="radio" name="axis" value="time"> time since the start</label></fieldset>)"
    R"(<label><input type="checkbox" name="logarithmic"> logarithmic values</label>)"
    R"(<div role="group" aria-label="Zoom of all plots"><button type="button" data-zoom="in">Zoom in</button>)"
    R"(<button type="button" data-zoom="out">Zoom out</button><button type="button" data-zoom="all">Show all</button></div>)"
    R"(<p class="note">Drag over a plot to zoom, double-click to show all. With the keyboard: the arrow keys move the cursor, + and - zoom, 0 shows all.</p></div>)";

/// One line needs no legend, unless it could be that of another run.
std::string render_legend(const ReportModel& model, const Plot& plot) {
  if (plot.lines.size() < 2 && is_about_one_run(model)) return {};
  std::string text;
  for (const auto& line : plot.lines)
    text += fmt::format(
        R"(<li><svg width="18" height="10" aria-hidden="true"><path class="line c{}{}" d="M0 5h18"/></svg> <span>{}</span></li>)",
        line.colour, line.dashed ? " dashed" : "", escape_html(line.label));
  return "<ul class=\"legend\">" + text + "</ul>";
}

std::string render_plot(const ReportModel& model, const Plot& plot) {
  const auto unit = plot.unit.empty() ? "" : " <span class=\"unit\">" + escape_html(plot.unit) + "</span>";
  return fmt::format(
      R"(<figure class="plot" data-plot="{}"><figcaption>{}{}</figcaption>{}<div class="canvas">{}</div>{}</figure>)",
      plot.id, escape_html(plot.title), unit, render_legend(model, plot), render_plot_svg(plot),
      render_details("Values", render_values_html(plot)));
}

std::string list_in_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

/// How many records a point of a plot stands for.
std::string render_reduction(const ReportModel& model, std::size_t buckets) {
  std::int64_t most = 0;
  std::size_t points = 0;
  for (const auto& run : model.runs) {
    for (const auto& records : run.series) {
      most = std::max(most, records.records);
      points = std::max(points, std::min(records.buckets.size(), buckets));
    }
  }
  if (most <= static_cast<std::int64_t>(points)) return {};
  return fmt::format(
      "<p class=\"note\">A run has up to {} records of a kind. Each line shows at most {} points: the mean "
      "of the "
      "records that it stands for, and in a lighter shade their minimum and maximum. <code>ddpsubmit export "
      "--csv</code> prints all records.</p>",
      render_integer(most), render_integer(static_cast<std::int64_t>(points)));
}

std::string render_missing(const ReportModel& model) {
  if (!is_about_one_run(model)) return {};
  const auto missing = missing_plots(model.runs.front());
  if (missing.empty()) return {};
  return fmt::format(
      "<p class=\"note\">The run has not recorded {}. The trainer of ddpsubmit records them where "
      "it can measure them; a Python program records numbers with <code>ddpsubmit.log</code>.</p>",
      escape_html(list_in_words(missing)));
}

/// Why a run has no curve.
std::string render_without_metrics(const ReportModel& model) {
  if (is_about_one_run(model)) return {};
  std::string ids;
  for (const auto& run : model.runs)
    if (run.series.empty()) ids += (ids.empty() ? "" : ", ") + run.run.pointer.run_id;
  if (ids.empty()) return {};
  return fmt::format("<p class=\"note\">These runs have no curve, because no metrics were recorded: {}.</p>",
                     escape_html(ids));
}

std::string render_curves(const ReportModel& model, const std::vector<Plot>& plots, std::size_t buckets) {
  std::string text;
  for (const auto& plot : plots) text += render_plot(model, plot);
  if (!text.empty()) text = std::string(kControls) + "<div class=\"plots\">" + text + "</div>";
  if (model.runs.size() > kMostDrawnRuns)
    text += fmt::format("<p class=\"note\">The plots show the first {} of {} runs.</p>", kMostDrawnRuns,
                        model.runs.size());
  return text + render_reduction(model, buckets) + render_missing(model) + render_without_metrics(model);
}

std::string render_heat(const ReportedRun& run) {
  const auto& times = run.rank_times;
  if (times.ranks.empty()) return {};
  const auto range = heat_range_of(times);
  std::string ranks = fmt::format("{} to {}", times.ranks.front(), times.ranks.back());
  std::string shades;
  for (int shade = 0; shade < 9; ++shade)
    shades += fmt::format(
        R"(<svg width="14" height="12" aria-hidden="true"><path class="h{}" d="M0 6h14"/></svg>)", shade);
  HtmlTable table{.caption = "Mean step time of each rank, without waiting for others",
                  .head = {"rank", "mean, ms", "highest, ms"},
                  .numbers = {0, 1, 2}};
  for (std::size_t row = 0; row < times.ranks.size(); ++row) {
    double sum = 0, highest = 0, count = 0;
    for (const auto& ms : times.ms[row]) {
      if (!ms) continue;
      sum += *ms;
      count += 1;
      highest = std::max(highest, *ms);
    }
    table.rows.push_back({std::to_string(times.ranks[row]), count > 0 ? render_number(sum / count) : "",
                          count > 0 ? render_number(highest) : ""});
  }
  return fmt::format(
      R"(<figure class="plot" data-heat><figcaption>Step time of each rank over steps <span class="unit">ms, without waiting for others</span></figcaption><p class="shades">{} {} {}</p><p class="note">From top to bottom: ranks {}{}.</p><div class="canvas">{}</div>{}</figure>)",
      render_number(range.lowest), shades, render_number(range.highest), ranks,
      times.slowest_only ? ", of which each record tells the slowest" : "", render_heat_svg(times),
      render_details("Values", render_html(table)));
}

std::string render_run_sections(const ReportModel& model, const std::string& curves) {
  const auto& run = model.runs.front();
  return render_section("why", "How it ended", render_cause_html(run.run)) +
         render_section("curves", "Curves", curves) +
         render_section("attempts", "Attempts and recovery",
                        render_timeline_html(run) + render_attempts_html(run)) +
         render_section(
             "ranks", "Ranks",
             render_heat(run) + render_details("Ranks of the newest attempt", render_ranks_html(run))) +
         render_section("checkpoints", "Checkpoints", render_checkpoints_html(run)) +
         render_section("what", "What ran", render_facts_html(run)) +
         render_section("settings", "Settings", render_settings_html(run));
}

/// Why a run did not succeed, in one line.
std::string render_why_not_succeeded(const RunStatus& status) {
  if (!is_final(status.state) || status.state == RunState::succeeded) return {};
  const auto& text = status.message.empty() && status.cause ? status.cause->what : status.message;
  return text.substr(0, text.find('\n'));
}

std::string last_part_of(const std::string& key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0
}

/// The last part of the path of a setting, where no other one has the same.
std::string short_key_of(const DifferingFact& fact, const std::vector<DifferingFact>& all) {
  const auto last = last_part_of(fact.key);
  const auto same =
      std::ranges::count_if(all, [&](const auto& each) { return last_part_of(each.key) == last; });
  return same > 1 ? fact.key : last;
}

/// What programs log of their validations under names of their own.
bool is_validation_metric(std::string_view name) {
  return name == "val" || name.starts_with("val_") || name.starts_with("val/") || name.starts_with("valid") ||
         name.starts_with("test") || name.starts_with("eval");
}

/// Whatever the kind of its record is.
std::string render_last_of(const ReportedRun& run, const std::string& metric) {
  std::string text;
  for (const auto& records : run.series)
    if (const auto* found = find_metric(records, metric)) text = render_number(found->last);
  return text;
}

std::vector<std::string> row_of_run(const ReportModel& model, std::size_t number,
                                    const std::vector<DifferingFact>& facts,
                                    const std::vector<std::string>& validations) {
  const auto& run = model.runs[number];
  std::vector<std::string> row{run.run.pointer.run_id, words_of(run.run.status.state)};
  for (const auto& fact : facts) row.push_back(fact.texts[number]);
  const auto step = reached_step(run.run);
  using namespace metrics_kind;
  for (auto cell : {step > 0 ? render_integer(step) : std::string(), render_last(run, kTrain, "loss"),
                    render_last(run, kEvaluate, "loss"), render_last(run, kEvaluate, "accuracy")})
    row.push_back(std::move(cell));
  for (const auto& name : validations) row.push_back(render_last_of(run, name));
  for (auto cell : {render_throughput(run), render_running_time(run.run.status, model.now),
                    render_why_not_succeeded(run.run.status)})
    row.push_back(std::move(cell));
  return row;
}

/// Columns in which no run has anything are left out.
void drop_empty_columns(HtmlTable& table) {
  for (std::size_t column = table.head.size(); column-- > 0;) {
    const auto is_empty = [&](const auto& row) { return row[column].empty(); };
    if (!std::ranges::all_of(table.rows, is_empty)) continue;
    table.head.erase(table.head.begin() + static_cast<std::ptrdiff_t>(column));
    if (column < table.titles.size())
      table.titles.erase(table.titles.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

std::string render_runs_table(const ReportModel& model, const std::vector<DifferingFact>& all) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostSettingColumns));
  const std::vector<DifferingFact> facts(all.begin(), end);
  HtmlTable table{.caption = "Runs, the settings that differ, and the last metrics",
                  .head = {"run", "state"},
                  .titles = {"", ""},
                  .one_line = {0}};
  for (const auto& fact : facts) {
    table.head.push_back(short_key_of(fact, all));
    table.titles.push_back(fact.key);
  }
  const auto validations = names_of_metrics(model.runs, is_validation_metric, kMostValidationColumns);
  for (const char* name : {"step", "training loss", "test loss", "test accuracy"})
    table.head.emplace_back(name);
  table.head.insert(table.head.end(), validations.begin(), validations.end());
  for (const char* name : {"samples/s, mean", "duration", "what happened"}) table.head.emplace_back(name);
  for (std::size_t number = 0; number < model.runs.size(); ++number)
    table.rows.push_back(row_of_run(model, number, facts, validations));
  drop_empty_columns(table);
  table.numbers = columns_of_numbers(table);
  return render_html(table);
}

std::string render_differences_table(const ReportModel& model, const std::vector<DifferingFact>& facts) {
  HtmlTable table{.caption = "Settings, code and versions that differ", .head = {"key"}};
  const auto runs = std::min(model.runs.size(), kMostRunColumns);
  for (std::size_t number = 0; number < runs; ++number)
    table.head.push_back(model.runs[number].run.pointer.run_id);
  for (const auto& fact : facts) {
    std::vector<std::string> row{fact.key};
    row.insert(row.end(), fact.texts.begin(), fact.texts.begin() + static_cast<std::ptrdiff_t>(runs));
    table.rows.push_back(std::move(row));
  }
  auto html = render_html(table);
  if (runs < model.runs.size() && !html.empty())
    html += fmt::format("<p class=\"note\">The table shows the first {} of {} runs.</p>", runs,
                        model.runs.size());
  return html;
}

/// Heading and details of each run that has something to tell besides its curves.
std::string render_each_run(const ReportModel& model) {
  std::string html;
  for (std::size_t number = 0; number < std::min(model.runs.size(), kMostDrawnRuns); ++number) {
    const auto& run = model.runs[number];
    const auto values = values_of_point(model, run.run);
    html += render_details(render_headline(run.run, model.now) + (values.empty() ? "" : " (" + values + ")"),
                           render_cause_html(run.run) + render_timeline_html(run) +
                               render_attempts_html(run) + render_facts_html(run));
  }
  if (!html.empty() && model.runs.size() > kMostDrawnRuns)
    html += fmt::format("<p class=\"note\">These are the first {} of {} runs.</p>", kMostDrawnRuns,
                        model.runs.size());
  return html;
}

std::string render_runs_sections(const ReportModel& model, const std::string& curves) {
  const auto facts = differing_facts(model.runs);
  return render_section("runs", "Runs", render_runs_table(model, facts)) +
         render_section("curves", "Curves", curves) +
         render_section("differences", "What differs",
                        facts.size() > kMostSettingColumns ? render_differences_table(model, facts) : "") +
         render_section("each", "Each run", render_each_run(model));
}

}  // namespace

std::string render_page(const ReportModel& model) {
  const auto plots = make_plots(model);
  const auto buckets = buckets_of_page(plots);
  const auto curves = render_curves(model, plots, buckets);
  const auto sections =
      is_about_one_run(model) ? render_run_sections(model, curves) : render_runs_sections(model, curves);
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", page_policy());
  page +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  page += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escape_html(title_of(model)),
                      page_style().text);
  page += render_header(model) + "<main>" + sections + "</main>\n";
  page += fmt::format("<script type=\"application/json\" id=\"report-data\">{}</script>\n",
                      render_script_json(page_data(model, plots, buckets)));
  page += fmt::format("<script>{}</script>\n</body>\n</html>\n", page_script().text);
  return page;
}

}  // namespace ddp::cli
