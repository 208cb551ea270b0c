#include "cli/export/export_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/export/exported_runs.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::vector<std::string> rows_of(const std::string& csv) {
  std::vector<std::string> rows;
  for (std::size_t begin = 0; begin < csv.size();) {
    const auto end = csv.find("\r\n", begin);
    rows.push_back(csv.substr(begin, end - begin));
    begin = end == csv.npos ? csv.size() : end + 2;
  }
  return rows;
}

std::string render_csv(std::span<const RunExport> exports) {
  std::string csv;
  write_csv(exports, [&csv](std::string_view text) { csv += text; });
  return csv;
}

TEST(ExportCsv, HasAHeaderAndARowForEachStepAndKind) {
  RunExport run{.run_id = "mlp-1"};
  auto evaluated = exported_record("evaluate", 10, 0.25);
  evaluated.accuracy = 0.125;
  run.records = {exported_record("train", 10, 0.5), evaluated};
  const auto rows = rows_of(render_csv(std::span(&run, 1)));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0], StartsWith("run_id,kind,attempt,step,epoch,time,loss,accuracy,samples,total_steps,"));
  EXPECT_THAT(rows[1], StartsWith("mlp-1,train,1,10,2,1970-01-01T00:00:10.000Z,0.5,,,"));
  EXPECT_THAT(rows[2], StartsWith("mlp-1,evaluate,1,10,2,1970-01-01T00:00:10.000Z,0.25,0.125,,"));
  for (const auto& row : rows) EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(rows[0], ','));
}

TEST(ExportCsv, QuotesCellsAsRfc4180Does) {
  auto point = exported_point(0, "a,b", "say \"hi\"\nthere");
  const auto csv = render_csv(std::span(&point, 1));
  EXPECT_THAT(csv, StartsWith("run_id,train.model,lr,kind,"));
  EXPECT_THAT(csv, testing::HasSubstr("\r\nsweep-1/0,\"a,b\",\"say \"\"hi\"\"\nthere\",train,1,"));
}

TEST(ExportCsv, NumbersUnderOtherNamesAreTheLastColumns) {
  std::vector<RunExport> runs = {exported_point(0, "mlp", 0.1), exported_point(1, "mlp", 1)};
  auto record = exported_record("train", 10, 0.5);
  record.others = {{"perplexity", 3.5}};
  runs[0].records = {record};
  record.others = {{"bleu", 1e-7}};
  runs[1].records = {record};
  const auto rows = rows_of(render_csv(runs));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].ends_with(",slowdown,bleu,perplexity")) << rows[0];
  EXPECT_THAT(rows[1], StartsWith("sweep-1/0,mlp,0.1,train,"));
  EXPECT_TRUE(rows[1].ends_with(",,3.5")) << rows[1];
  EXPECT_TRUE(rows[2].ends_with(",1e-07,")) << rows[2];
}

TEST(ExportCsv, OfRunsOfSeveralSweepsHasTheKeysOfAll) {
  std::vector<RunExport> runs = {{.run_id = "mlp-1", .records = {exported_record("train", 10, 0.5)}},
                                 exported_point(0, "mlp", 0.1),
                                 {.run_id = "sweep-2/0",
                                  .values = {{"seed", 7}, {"lr", 0.2}},
                                  .records = {exported_record("train", 10, 0.5)}}};
  const auto rows = rows_of(render_csv(runs));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0], StartsWith("run_id,train.model,lr,seed,kind,"));
  EXPECT_THAT(rows[1], StartsWith("mlp-1,,,,train,"));
  EXPECT_THAT(rows[2], StartsWith("sweep-1/0,mlp,0.1,,train,"));
  EXPECT_THAT(rows[3], StartsWith("sweep-2/0,,0.2,7,train,"));
}

TEST(ExportCsv, MayHaveManyNames) {
  const auto run = exported_run_of_many_names();
  std::size_t size = 0;
  write_csv(std::span(&run, 1), [&size](std::string_view text) { size += text.size(); });
  EXPECT_GT(size, 20U * 100'000U * 2U);
}

}  // namespace
}  // namespace ddp::cli
