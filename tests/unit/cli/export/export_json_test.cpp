#include "cli/export/export_json.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/export/exported_runs.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json export_json(const RunExport& run) {
  std::string line;
  write_json(run, [&line](std::string_view text) { line += text; });
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  return json::parse(line);
}

TEST(ExportJson, HasASeriesForEachKindAndMetric) {
  RunExport run{.run_id = "mlp-1", .state = RunState::running};
  auto last = exported_record("train", 20, 0.125);
  last.epoch.reset();
  last.others = {{"bleu", 3}};
  run.records = {exported_record("train", 10, 0.5), exported_record("evaluate", 10, 0.25), last};
  const auto value = export_json(run);
  EXPECT_EQ(value["schema"], "ddpsubmit.export.v1");
  EXPECT_EQ(value["run_id"], "mlp-1");
  EXPECT_EQ(value["state"], "running");
  EXPECT_TRUE(value["point"].is_null());
  EXPECT_EQ(value["values"], json::object());
  ASSERT_EQ(value["series"].size(), 3U);
  EXPECT_EQ(value["series"][0], json({{"kind", "train"},
                                      {"metric", "loss"},
                                      {"step", {10, 20}},
                                      {"epoch", {2, nullptr}},
                                      {"attempt", {1, 1}},
                                      {"time", {"1970-01-01T00:00:10.000Z", "1970-01-01T00:00:20.000Z"}},
                                      {"value", {0.5, 0.125}}}));
  EXPECT_EQ(value["series"][1]["kind"], "evaluate");
  EXPECT_EQ(value["series"][2]["metric"], "bleu");
}

TEST(ExportJson, IsOneLineOfUtf8WithSortedNames) {
  const RunExport run{.run_id = "mlp-1", .records = {exported_record("perte_é", 10, 0.5)}};
  std::string text;
  write_json(run, [&text](std::string_view part) { text += part; });
  EXPECT_EQ(
      text,
      "{\"schema\":\"ddpsubmit.export.v1\",\"point\":null,\"run_id\":\"mlp-1\",\"series\":[{\"attempt\":[1],"
      "\"epoch\":[2],\"kind\":\"perte_é\",\"metric\":\"loss\",\"step\":[10],\"time\":[\"1970-01-01T00:00:10."
      "000Z\"],\"value\":[0.5]}],\"state\":\"unknown\",\"values\":{}}\n");
}

TEST(ExportJson, MayHaveManyNames) {
  const auto run = exported_run_of_many_names();
  std::size_t size = 0;
  write_json(run, [&size](std::string_view text) { size += text.size(); });
  EXPECT_GT(size, 20U * 100'000U * 2U);
}

TEST(ExportJson, APointHasItsValues) {
  const auto value = export_json(exported_point(3, "mlp", 0.1));
  EXPECT_EQ(value["point"], 3);
  EXPECT_EQ(value["values"], json({{"train.model", "mlp"}, {"lr", 0.1}}));
}

}  // namespace
}  // namespace ddp::cli
