#include "cli/report/page/page.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/report/page/page_parts.hpp"
#include "cli/report/page/page_policy.hpp"
#include "cli/report/text/escape.hpp"
#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kBreakOut =
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\xe2\x80\xa8\xff\x1b[31m";

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

ReportedRun hostile_run() {
  const std::string text(kBreakOut);
  ReportedRun run{.run = make_run(RunState::failed)};
  run.run.pointer.run_id = run.run.pointer.name = run.run.pointer.run_dir = text;
  run.run.status.message = run.run.status.job_id = text;
  auto& cause = run.run.status.cause.emplace();
  cause.what = cause.host = cause.phase = cause.stderr_tail = text;
  auto& attempt = run.run.status.attempts.emplace_back();
  attempt.outcome = attempt.message = attempt.host = text;
  attempt.hosts = attempt.remarks = {text};
  attempt.ranks.emplace_back().host = text;
  for (const char* section : {"settings", "data", "code", "hosts", "versions"})
    run.facts.push_back({section, text, text, text});
  std::vector<MetricsRecord> records;
  for (int step = 1; step < 4; ++step) {
    records.push_back({.kind = "train", .step = step});
    records.back().loss = step;
    records.back().rank_ms = {{0, 1}, {1, 2}};
    records.back().others = {{text, 5}};
    records.push_back({.kind = text, .step = step});
    records.back().others = {{text, 6}};
  }
  run.series = reduce_records(records);
  run.rank_times = reduce_rank_times(records);
  run.checkpoints = {{.attempt = 0, .step = 3}};
  run.failed_checkpoints = {{0, 3, {}, text}};
  return run;
}

void expect_nothing_breaks_out(const std::string& page) {
  EXPECT_EQ(count_of(page, "<script"), 2u);  // data and script
  EXPECT_EQ(count_of(page, "</script"), 2u);
  EXPECT_EQ(count_of(page, "<img"), 0u);
  EXPECT_EQ(count_of(page, "\xff"), 0u);
  EXPECT_EQ(count_of(page, "\x1b"), 0u);
  EXPECT_EQ(count_of(page, "\xe2\x80\xa8"), 0u);
  EXPECT_EQ(count_of(page, " style="), 0u);  // the policy allows none
  EXPECT_GT(count_of(page, "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"), 10u);
}

TEST(Escape, LeavesNothingOfTheSyntax) {
  EXPECT_EQ(escape_html("a<b> & \"c\" 'd'\tf\n"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;    f\n");
  EXPECT_EQ(escape_html("\xff\x1b\xe2\x80\xa8"), "\\xff\\x1b\\u{2028}");
  EXPECT_EQ(escape_html("größer"), "größer");
  const auto json = render_script_json({{"a", std::string(kBreakOut)}});
  for (const char* each : {"<", ">", "&", "\xe2", "\xff"}) EXPECT_EQ(json.find(each), json.npos) << each;
  EXPECT_EQ(nlohmann::json::parse(render_script_json("<&>")), "<&>");
}

TEST(Page, OfAHostileRunIsText) {
  ReportModel model;
  model.runs = {hostile_run()};
  expect_nothing_breaks_out(render_page(model));
}

TEST(Page, OfSeveralHostileRunsIsText) {
  ReportModel model;
  model.runs = {hostile_run(), hostile_run()};
  model.runs[1].facts[0].text += "other";
  expect_nothing_breaks_out(render_page(model));
}

TEST(Page, OfAHundredThousandRecordsIsSmall) {
  std::vector<MetricsRecord> records;
  for (int step = 1; step <= 100'000; ++step) {
    auto& record = records.emplace_back(MetricsRecord{.kind = "train", .step = step});
    record.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(step * 137));
    for (const auto& field : metrics_fields()) {
      const double value = (step % 977) * 1.2345678 + 3;
      std::visit(
          [&](auto member) {
            using Value = typename std::decay_t<decltype(record.*member)>::value_type;
            record.*member = static_cast<Value>(value);
          },
          field.member);
    }
    for (int rank = 0; rank < 64; ++rank)
      record.rank_ms.push_back({rank, 10 + (step * (rank + 7)) % 13 * 0.37});
  }
  ReportModel model;
  model.runs.push_back({.run = make_run(RunState::succeeded)});
  model.runs[0].series = reduce_records(records);
  model.runs[0].rank_times = reduce_rank_times(records);
  const auto page = render_page(model);
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_NE(page.find("up to 100,000 records of a kind. Each line shows at most 2,000 points"), page.npos);
}

TEST(Page, OfARunWithoutRecordsHasNoPlots) {
  ReportModel model;
  model.runs.push_back({.run = make_run(RunState::succeeded)});
  const auto page = render_page(model);
  EXPECT_NE(page.find("Run job-1 succeeded in 12.0 s"), page.npos);
  EXPECT_EQ(page.find("<figure"), page.npos);
  EXPECT_NE(page.find("The run has not recorded loss, throughput,"), page.npos);
}

TEST(Page, OfASweepBesideARunHasNoVerdictOfOneOfThem) {
  ReportModel model;
  model.runs = {{.run = make_run(RunState::failed)}, {.run = make_run(RunState::succeeded)}};
  model.runs[0].run.pointer.run_id = "search/0";
  model.runs[0].run.status.message = "rank 1 exited";
  model.sweeps.push_back(make_run(RunState::failed));
  model.sweeps[0].pointer.run_id = "search";
  model.sweeps[0].sweep = SweepRecord{.keys = {"train.lr"}, .points = {{0.1}}, .at_once = {}};
  const auto page = render_page(model);
  EXPECT_NE(page.find("<title>2 runs side by side</title>"), page.npos);
  EXPECT_NE(page.find("Run search/0 failed after 12.0 s (lr 0.1)</summary>"), page.npos) << page;
  EXPECT_NE(page.find("no metrics were recorded: search/0, job-1."), page.npos);
  model.runs.pop_back();
  EXPECT_NE(render_page(model).find("<title>Sweep search"), page.npos);
}

TEST(Page, AllowsOnlyItsOwnStyleAndScript) {
  EXPECT_TRUE(page_policy().starts_with("default-src 'none'; style-src 'sha256-"));
  EXPECT_EQ(page_script().text.find("</script"), std::string_view::npos);
  EXPECT_EQ(page_style().text.find("</style"), std::string_view::npos);
}

}  // namespace
}  // namespace ddp::cli
