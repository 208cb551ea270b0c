#include "jobenv/record/files/file_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace ddp {
namespace {

using std::chrono::milliseconds;

/// Interrupts the system calls of a thread, again and again, by a signal whose handler does not restart them.
class Interruptions {
 public:
  explicit Interruptions(pthread_t target) {
    struct sigaction action {};
    action.sa_handler = [](int) { ++interruptions; };
    sigaction(SIGUSR1, &action, &before_);
    thread_ = std::thread([this, target] {
      while (!done_) {
        pthread_kill(target, SIGUSR1);
        std::this_thread::sleep_for(milliseconds(1));
      }
    });
  }
  ~Interruptions() {
    done_ = true;
    thread_.join();
    sigaction(SIGUSR1, &before_, nullptr);
  }

  static inline std::atomic<int> interruptions = 0;

 private:
  struct sigaction before_ {};
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  FileDescriptor reader;
  FileDescriptor writer;
};

TEST(FileDescriptor, WritesAllAndReadsAllPastInterruptionsAndShortTransfers) {
  Pipe pipe;
  std::string text(300'000, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  std::thread slow_writer([&] {
    const Interruptions interruptions(pthread_self());
    for (std::size_t at = 0; at < text.size(); at += 100'000) {
      std::this_thread::sleep_for(milliseconds(5));
      EXPECT_EQ(write_all(pipe.writer.get(), std::string_view(text).substr(at, 100'000)), 0);
    }
    EXPECT_EQ(pipe.writer.close(), 0);
  });
  std::string got(text.size() + 10, '\0');
  std::this_thread::sleep_for(
      milliseconds(20));  // the writer blocks on a full pipe, and is interrupted there
  EXPECT_EQ(read_up_to(pipe.reader.get(), got.data(), got.size()), static_cast<std::ptrdiff_t>(text.size()));
  slow_writer.join();
  got.resize(text.size());
  EXPECT_EQ(got, text);
  EXPECT_GT(Interruptions::interruptions, 0);
}

TEST(FileDescriptor, TellsTheErrno) {
  const FileDescriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(write_all(full.get(), "x"), ENOSPC);
  EXPECT_EQ(write_all(full.get(), ""), 0);
  char byte = 0;
  EXPECT_EQ(read_up_to(full.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(FileDescriptor, ClosesOnceAndMoves) {
  Pipe pipe;
  const int number = pipe.reader.get();
  FileDescriptor moved = std::move(pipe.reader);
  EXPECT_EQ(moved.get(), number);
  EXPECT_EQ(moved.close(), 0);
  EXPECT_FALSE(moved.is_open());
  EXPECT_EQ(moved.close(), 0);
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  { const FileDescriptor owner = std::move(pipe.writer); }
  EXPECT_EQ(fcntl(number + 1, F_GETFD), -1);
}

}  // namespace
}  // namespace ddp
