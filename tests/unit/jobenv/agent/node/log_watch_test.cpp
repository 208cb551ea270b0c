#include "jobenv/agent/node/log_watch.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

class WatchedLogs : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    watch_.emplace(*loop_);
    std::filesystem::create_directories(run_.folder().logs(0));
  }
  void print(const std::filesystem::path& log, const std::string& text) {
    std::ofstream(log, std::ios::app) << text;
  }
  void print_out(const std::string& text) { print(run_.folder().out(0, 3), text); }
  void print_err(const std::string& text) { print(run_.folder().err(0, 3), text); }
  /// Longer than the pause between two looks.
  void pass_time() {
    loop_->after(2 * LogTurns::kPause, [this] { loop_->quit(); });
    loop_->run();
  }
  [[nodiscard]] std::vector<LogSizes> notes() const {
    std::vector<LogSizes> notes;
    std::istringstream text(read_file(run_.folder().log_order(0, 3)));
    for (std::string line; std::getline(text, line);) notes.push_back(parse_log_point(line).value());
    return notes;
  }
  void take_turns() {
    print_err("one\n");
    pass_time();
    print_out("two\n");
    ASSERT_TRUE(run_loop_until(*loop_, [this] { return notes().size() == 1; }));
    print_err("three\n");
    pass_time();
    print_out("four\n");
    ASSERT_TRUE(run_loop_until(*loop_, [this] { return notes().size() == 2; }));
    EXPECT_EQ(notes(), (std::vector<LogSizes>{{0, 4}, {4, 10}}));
  }

  RunFixture run_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<LogWatch> watch_;
};

TEST_F(WatchedLogs, TurnsAreNoted) {
  watch_->watch(run_.folder(), 0, 3);
  take_turns();
}

TEST_F(WatchedLogs, TurnsAreNotedWhereThereIsNoInotify) {
  std::vector<FileDescriptor> taken;
  do {
    taken.emplace_back(inotify_init1(IN_CLOEXEC));
  } while (taken.back().is_open());
  watch_->watch(run_.folder(), 0, 3);
  taken.clear();
  take_turns();
}

TEST_F(WatchedLogs, OneStreamAloneHasNoNotes) {
  watch_->watch(run_.folder(), 0, 3);
  for (int line = 0; line < 3; ++line) {
    print_out("line\n");
    pass_time();
  }
  watch_->forget(3);
  EXPECT_FALSE(std::filesystem::exists(run_.folder().log_order(0, 3)));
}

TEST_F(WatchedLogs, TheEndOfARankIsALastLook) {
  watch_->watch(run_.folder(), 0, 3);
  print_err("one\n");
  pass_time();
  print_out("two\n");
  watch_->forget(3);
  EXPECT_EQ(notes(), (std::vector<LogSizes>{{0, 4}}));
}

TEST_F(WatchedLogs, ALogThatIsNoFileIsNotWatched) {
  ASSERT_EQ(mkfifo(run_.folder().err(0, 3).c_str(), 0600), 0);
  watch_->watch(run_.folder(), 0, 3);
  print_out("line\n");
  pass_time();
  watch_->forget(3);
  EXPECT_FALSE(std::filesystem::exists(run_.folder().log_order(0, 3)));
}

}  // namespace
}  // namespace ddp::agent
