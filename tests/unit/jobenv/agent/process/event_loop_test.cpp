#include "jobenv/agent/process/event_loop.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <thread>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

class Loop : public testing::Test {
 protected:
  void SetUp() override {
    auto loop = EventLoop::create({SIGUSR1}, [this](int signal) { signals_.push_back(signal); });
    ASSERT_TRUE(loop) << loop.error().message;
    loop_ = std::move(*loop);
  }

  std::vector<int> signals_;
  std::unique_ptr<EventLoop> loop_;
};

TEST_F(Loop, TimersRunInTheirOrder) {
  std::string order;
  loop_->after(milliseconds(20), [&] {
    order += "c";
    loop_->quit();
  });
  loop_->after(milliseconds(0), [&] { order += "a"; });
  const auto cancelled = loop_->after(milliseconds(5), [&] { order += "x"; });
  loop_->after(milliseconds(1), [&] {
    order += "b";
    loop_->cancel(cancelled);
  });
  loop_->run();
  EXPECT_EQ(order, "abc");
}

TEST_F(Loop, ATimerMayCancelOneThatIsDueToo) {
  bool ran = false;
  EventLoop::TimerId second = 0;
  loop_->after(milliseconds(0), [&] { loop_->cancel(second); });
  second = loop_->after(milliseconds(0), [&] { ran = true; });
  loop_->after(milliseconds(5), [&] { loop_->quit(); });
  loop_->run();
  EXPECT_FALSE(ran);
}

TEST_F(Loop, SignalsReachTheHandler) {
  kill(getpid(), SIGUSR1);
  loop_->after(milliseconds(20), [&] { loop_->quit(); });
  loop_->run();
  EXPECT_EQ(signals_, std::vector<int>{SIGUSR1});
}

TEST_F(Loop, TheMaskIsRestored) {
  loop_.reset();
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_FALSE(sigismember(&mask, SIGUSR1));
  EXPECT_FALSE(sigismember(&mask, SIGCHLD));
}

TEST_F(Loop, HearsOfEveryChildEvenOfOneThatHasEndedBefore) {
  std::vector<int> codes;
  for (int code = 0; code < 5; ++code) {
    const pid_t pid = fork();
    if (pid == 0) _exit(code);
    if (code % 2 == 0) {
      siginfo_t info;
      waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    }
    loop_->on_exit_of(pid, [&](int status) {
      codes.push_back(WEXITSTATUS(status));
      if (codes.size() == 5) loop_->quit();
    });
  }
  loop_->run();
  std::ranges::sort(codes);
  EXPECT_EQ(codes, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(Loop, AHandlerMayForgetAnotherOfTheSameBatch) {
  std::array<int, 2> first{};
  std::array<int, 2> second{};
  ASSERT_EQ(pipe(first.data()), 0);
  ASSERT_EQ(pipe(second.data()), 0);
  int calls = 0;
  EventLoop::WatchId first_watch = 0;
  EventLoop::WatchId second_watch = 0;
  const auto handler = [&](std::uint32_t) {
    ++calls;
    loop_->forget(first_watch);
    loop_->forget(second_watch);
    loop_->after(milliseconds(20), [&] { loop_->quit(); });
  };
  first_watch = loop_->watch(first[0], EPOLLIN, handler).value();
  second_watch = loop_->watch(second[0], EPOLLIN, handler).value();
  ASSERT_EQ(write(first[1], "x", 1), 1);
  ASSERT_EQ(write(second[1], "x", 1), 1);
  loop_->run();
  EXPECT_EQ(calls, 1);
  for (const int end : {first[0], first[1], second[0], second[1]}) close(end);
}

TEST_F(Loop, AHandlerThatTakesLongIsNoInterruption) {
  const auto created = loop_->awake_since();
  loop_->after(milliseconds(0), [] { std::this_thread::sleep_for(milliseconds(2100)); });
  loop_->after(milliseconds(20), [&] { loop_->quit(); });
  loop_->run();
  EXPECT_EQ(loop_->awake_since(), created);
}

TEST(InterruptedLoop, KnowsSinceWhenItRunsAgain) {
  const pid_t child = fork();
  if (child == 0) {
    auto loop = EventLoop::create({}, [](int) {}).value();
    const auto created = loop->awake_since();
    loop->after(milliseconds(200), [&] { loop->quit(); });
    loop->run();
    _exit(loop->awake_since() > created ? 0 : 1);
  }
  std::this_thread::sleep_for(milliseconds(100));
  kill(child, SIGSTOP);
  std::this_thread::sleep_for(milliseconds(2400));
  kill(child, SIGCONT);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Loop, SaysThatAFileCannotBeWatched) {
  const FileDescriptor file(fileno(tmpfile()));
  EXPECT_FALSE(loop_->watch(file.get(), EPOLLIN, [](std::uint32_t) {}));
}

}  // namespace
}  // namespace ddp::agent
