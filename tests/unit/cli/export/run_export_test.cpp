#include "cli/export/run_export.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

void write_metrics(const std::filesystem::path& run, std::string_view lines) {
  std::filesystem::create_directories(run);
  std::ofstream(run / "metrics.jsonl") << lines;
}

RunPointer pointer_to(const std::string& run_id, const std::filesystem::path& folder) {
  RunPointer pointer;
  pointer.run_id = run_id;
  pointer.run_dir = folder.string();
  return pointer;
}

TEST(RunExport, ReadsTheMetricsOfARun) {
  const TemporaryFolder folder;
  write_metrics(folder / "mlp-1", R"({"kind":"train","attempt":0,"step":10,"loss":3}
{"kind":"train","attempt":0,"step":20,"loss":2}
{"kind":"first_step","attempt":1,"step":11}
{"kind":"train","attempt":1,"step":20,"loss":1}
)");
  KnownRun run;
  run.pointer = pointer_to("mlp-1", (folder / "mlp-1"));
  run.status.state = RunState::failed;
  const auto exports = load_exports(run);
  ASSERT_EQ(exports.size(), 1U);
  EXPECT_EQ(exports[0].state, RunState::failed);
  EXPECT_FALSE(exports[0].point);
  ASSERT_EQ(exports[0].records.size(), 2U);
  EXPECT_EQ(exports[0].records[1].loss, 1);
}

TEST(RunExport, APointOfASweepHasItsValuesAloneToo) {
  const TemporaryFolder folder;
  const RunFolder sweep(folder / "sweep-1");
  write_metrics(sweep.point_folder(1).root(), R"({"kind":"train","attempt":0,"step":10,"loss":3})");
  const SweepRecord record{.keys = {"lr"}, .points = {{0.1}, {0.2}}, .at_once = {}};
  ASSERT_TRUE(save_sweep_record(sweep, record));
  KnownRun point;
  point.pointer = pointer_to("sweep-1/1", sweep.point_folder(1).root());
  const auto alone = load_exports(point);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].point, 1);
  ASSERT_EQ(alone[0].values.size(), 1U);
  EXPECT_EQ(alone[0].values[0].second, 0.2);
  KnownRun whole;
  whole.pointer = pointer_to("sweep-1", sweep.root());
  whole.sweep = record;
  whole.points = {KnownRun{}, point};
  whole.points[0].pointer = pointer_to("sweep-1/0", sweep.point_folder(0).root());
  const auto exports = load_exports(whole);
  ASSERT_EQ(exports.size(), 2U);
  EXPECT_TRUE(exports[0].records.empty());
  EXPECT_EQ(exports[0].values[0].second, 0.1);
  EXPECT_EQ(exports[1].records.size(), 1U);
}

}  // namespace
}  // namespace ddp::cli
