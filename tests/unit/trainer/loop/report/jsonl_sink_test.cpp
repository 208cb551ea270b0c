#include "trainer/loop/report/jsonl_sink.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::trainer {
namespace {

class JsonlSinkTest : public testing::Test {
 protected:
  void TearDown() override { limit_files_to(RLIM_INFINITY); }

  static void limit_files_to(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = std::min(bytes, limit.rlim_max);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  static MetricsRecord record_of(std::int64_t step) {
    return {.kind = std::string(metrics_kind::kFirstStep), .attempt = 0, .step = step};
  }
  static std::string line_of(std::int64_t step) { return render_metrics_record(record_of(step)) + "\n"; }
  [[nodiscard]] std::string text() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "metrics.jsonl").rdbuf();
    return std::move(text).str();
  }

  TemporaryFolder folder_;
};

TEST_F(JsonlSinkTest, AppendsALineARecord) {
  EXPECT_EQ(open_jsonl_sink(folder_.path())->write(record_of(1)), "");
  EXPECT_EQ(open_jsonl_sink(folder_.path())->write(record_of(2)), "");
  EXPECT_EQ(text(), line_of(1) + line_of(2));
}

TEST_F(JsonlSinkTest, WarnsOnceOfLostRecordsAndGoesOnOnALineOfItsOwn) {
  const auto sink = open_jsonl_sink(folder_.path());
  limit_files_to(line_of(1).size() + 5);
  EXPECT_EQ(sink->write(record_of(1)), "");
  EXPECT_NE(sink->write(record_of(2)).find("records are missing from metrics.jsonl: "), std::string::npos);
  EXPECT_EQ(sink->write(record_of(3)), "") << "it has been said";
  limit_files_to(RLIM_INFINITY);
  EXPECT_EQ(sink->write(record_of(4)), "");
  EXPECT_EQ(text(), line_of(1) + line_of(2).substr(0, 5) + "\n" + line_of(4));
}

TEST_F(JsonlSinkTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo((folder_ / "metrics.jsonl").c_str(), 0600), 0);
  EXPECT_THROW((void)open_jsonl_sink(folder_.path()), std::runtime_error);
}

}  // namespace
}  // namespace ddp::trainer
