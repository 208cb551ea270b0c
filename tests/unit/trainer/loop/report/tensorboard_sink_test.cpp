#include "trainer/loop/report/tensorboard_sink.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/tensorboard/events.hpp"
#include "jobenv/record/tensorboard/metrics_events.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::trainer {
namespace {

MetricsRecord told_record(std::string_view kind, std::int64_t step) {
  return {.kind = std::string(kind),
          .step = step,
          .time = std::chrono::system_clock::time_point(std::chrono::seconds(step)),
          .loss = 0.5};
}

class TensorboardSinkTest : public testing::Test {
 protected:
  void TearDown() override { limit_written_files_to(RLIM_INFINITY); }

  static void limit_written_files_to(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = std::min(bytes, limit.rlim_max);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  [[nodiscard]] std::unique_ptr<MetricsSink> open(int attempt) const {
    return open_tensorboard_sink({folder_.path(), attempt, true});
  }
  [[nodiscard]] std::string bytes_of(const std::string& attempt) const {
    return load_file(folder_ / "tensorboard" / ("events.out.tfevents." + attempt + ".ddptrain")).value();
  }

  TemporaryFolder folder_;
};

TEST_F(TensorboardSinkTest, IsOpenedOnlyIfItIsWanted) {
  EXPECT_EQ(open_tensorboard_sink({folder_.path(), 0, false}), nullptr);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tensorboard"));
}

TEST_F(TensorboardSinkTest, AnAttemptHasAFileThatBeginsAtItsFirstStep) {
  const auto first = told_record(metrics_kind::kFirstStep, 51);
  const auto train = told_record(metrics_kind::kTrain, 60);
  const auto sink = open(3);
  EXPECT_EQ(sink->write(first), "");
  EXPECT_EQ(sink->write(train), "");
  EXPECT_EQ(bytes_of("0000000003"), tensorboard::render_version(51) + tensorboard::render_restart(51, 51) +
                                        tensorboard::render_metrics(train));
}

TEST_F(TensorboardSinkTest, TakesBackARecordThatIsNotWhole) {
  const auto record = told_record(metrics_kind::kTrain, 60);
  const auto whole = tensorboard::render_metrics(record);
  const auto sink = open(0);
  EXPECT_EQ(sink->write(record), "");
  const auto before = bytes_of("0000000000");
  limit_written_files_to(before.size() + 5);
  EXPECT_NE(sink->write(record).find("records are missing"), std::string::npos);
  EXPECT_EQ(sink->write(record), "") << "it has been said";
  EXPECT_EQ(bytes_of("0000000000"), before);
  limit_written_files_to(RLIM_INFINITY);
  EXPECT_EQ(sink->write(record), "");
  EXPECT_EQ(bytes_of("0000000000"), before + whole);
}

}  // namespace
}  // namespace ddp::trainer
