#include "cli/export/event_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/tensorboard/events.hpp"
#include "jobenv/record/tensorboard/metrics_events.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/cli/export/exported_runs.hpp"

namespace ddp::cli {
namespace {

using tensorboard::Hyperparameter;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

std::chrono::system_clock::time_point at(int second) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(second));
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

TEST(EventFiles, ARunHasItsVersionAndItsScalars) {
  RunExport run{.run_id = "mlp-1", .records = {exported_record("train", 10, 0.5)}};
  const auto files = render_event_files("", std::span(&run, 1));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].folder, "mlp-1");
  EXPECT_EQ(files[0].bytes, tensorboard::render_version(10) + tensorboard::render_restart(10, 0) +
                                tensorboard::render_metrics(run.records[0]));
}

TEST(EventFiles, ASweepHasAFileOfItsOwnAndOneForEachPointWithMetrics) {
  std::vector<RunExport> points = {exported_point(0, "mlp", 0.1), exported_point(1, "convnet", 0.2),
                                   exported_point(2, "mlp", 0.3)};
  points[1].records = {};
  points[2].state = RunState::failed;
  const auto files = render_event_files("sweep-1", points);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].folder, "sweep-1");
  const std::vector<Hyperparameter> parameters = {{"train.model", "mlp"}, {"lr", 0.1}};
  const std::vector<std::string> metrics = {"train/loss"};
  EXPECT_THAT(files[0].bytes, HasSubstr(tensorboard::render_experiment(10, "sweep-1", parameters, metrics)));
  EXPECT_EQ(files[1].folder, "sweep-1/0");
  EXPECT_THAT(files[1].bytes, HasSubstr(tensorboard::render_session_start(10, "sweep-1/0", parameters)));
  EXPECT_THAT(files[1].bytes,
              HasSubstr(tensorboard::render_session_end(10, tensorboard::SessionEnd::success)));
  EXPECT_EQ(files[2].folder, "sweep-1/2");
  EXPECT_THAT(files[2].bytes,
              HasSubstr(tensorboard::render_session_end(10, tensorboard::SessionEnd::failure)));
}

TEST(EventFiles, APointThatRunsHasNoEnd) {
  auto point = exported_point(0, "mlp", 0.1);
  point.state = RunState::running;
  EXPECT_THAT(render_event_files("", std::span(&point, 1))[0].bytes, Not(HasSubstr("session_end_info")));
}

TEST(EventFiles, AKeyWithValuesOfSeveralTypesIsText) {
  const std::vector<RunExport> points = {exported_point(0, "mlp", 0.1), exported_point(1, "mlp", "auto")};
  const std::vector<Hyperparameter> parameters = {{"train.model", "mlp"}, {"lr", "0.1"}};
  EXPECT_THAT(render_event_files("sweep-1", points)[1].bytes,
              HasSubstr(tensorboard::render_session_start(10, "sweep-1/0", parameters)));
}

TEST(EventFiles, AnotherExportReplacesTheFilesOfTheRunAndNoOthers) {
  const TemporaryFolder folder;
  const EventFile run{"a", "1"};
  const EventFile other{"b", "2"};
  ASSERT_TRUE(save_event_files(folder.path(), std::vector{run, other}, at(5)));
  std::ofstream(folder / "a/events.out.tfevents.1.host") << "own";
  ASSERT_TRUE(save_event_files(folder.path(), std::vector{run}, at(6)));
  EXPECT_THAT(names_in(folder / "a"),
              UnorderedElementsAre("events.out.tfevents.1.host", "events.out.tfevents.0000000006.ddpsubmit"));
  EXPECT_THAT(names_in(folder / "b"), UnorderedElementsAre("events.out.tfevents.0000000005.ddpsubmit"));
  EXPECT_EQ(load_file(folder / "b/events.out.tfevents.0000000005.ddpsubmit").value(), "2");
}

TEST(EventFiles, AFolderThatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  const auto saved = save_event_files(folder / "file", std::vector{EventFile{"a", "1"}}, at(5));
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("cannot create '"));
}

}  // namespace
}  // namespace ddp::cli
