#include "cli/system/standard_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "cli/system/signal_watch.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

TEST(StandardOutput, WritesAllOfIt) {
  const TemporaryFolder folder;
  const FileDescriptor file(open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  HeldUpReader patience;
  StandardOutput buffer(file.get(), patience);
  std::ostream out(&buffer);
  std::string text;
  for (int line = 0; text.size() < 200'000; ++line) text += "line " + std::to_string(line) + '\n';
  out << text << 'x';
  out.flush();
  EXPECT_TRUE(out.good());
  EXPECT_EQ(buffer.error(), 0);
  EXPECT_EQ(load_file(folder / "out").value(), text + 'x');
}

TEST(StandardOutput, WaitsForTheReaderOfANonBlockingPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
  constexpr std::size_t kSize = 300'000;  // more than the pipe holds
  std::size_t arrived = 0;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = read(read_end.get(), part.data(), part.size())) > 0;)
      arrived += static_cast<std::size_t>(size);
  });
  {
    HeldUpReader patience;
    StandardOutput buffer(write_end.get(), patience);
    std::ostream(&buffer) << std::string(kSize, 'x') << std::flush;
    EXPECT_EQ(buffer.error(), 0);
  }
  write_end = FileDescriptor();
  reader.join();
  EXPECT_EQ(arrived, kSize);
}

/// A pipe that nobody reads, with more in it than it holds once `out` was flushed.
class HeldUpOutput : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    read_end = FileDescriptor(ends[0]);
    write_end = FileDescriptor(ends[1]);
  }

  FileDescriptor read_end, write_end;
};

TEST_F(HeldUpOutput, LetsASignalBeTakenAndThenFails) {
  SignalWatch signals;
  HeldUpReader patience{.patience = std::chrono::milliseconds(0)};
  StandardOutput buffer(write_end.get(), patience);
  std::ostream out(&buffer);
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // whether before or in the write
    kill(getpid(), SIGTERM);
  });
  out << std::string(300'000, 'x');
  out.flush();
  user.join();
  EXPECT_EQ(signals.take(), SIGTERM);
  EXPECT_TRUE(out.good()) << "what is left is kept";
  out << 'y';
  out.flush();
  EXPECT_FALSE(out.good());
  EXPECT_EQ(buffer.error(), EINTR);
  StandardOutput other(write_end.get(), patience);
  std::ostream err(&other);
  patience.patience = std::chrono::hours(1);
  err << 'z' << std::flush;
  EXPECT_EQ(other.error(), EINTR) << "the same reader";
}

/// A socket, for one, cannot be opened again.
TEST_F(HeldUpOutput, OfASocketIsNoOther) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const FileDescriptor reader(ends[0]), writer(ends[1]);
  SignalWatch signals;
  HeldUpReader patience{.patience = std::chrono::milliseconds(0)};
  StandardOutput buffer(writer.get(), patience);
  std::ostream out(&buffer);
  raise(SIGTERM);
  out << std::string(3'000'000, 'x') << std::flush;
  EXPECT_EQ(signals.take(), SIGTERM);
  out << 'y' << std::flush;
  EXPECT_EQ(buffer.error(), EINTR);
}

TEST_F(HeldUpOutput, WaitsForItsReaderWhereNobodyTakesTheSignal) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  raise(SIGTERM);
  HeldUpReader patience{.patience = std::chrono::milliseconds(0)};
  StandardOutput buffer(write_end.get(), patience);
  std::size_t arrived = 0;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    while (arrived < 300'000) {
      const ssize_t size = read(read_end.get(), part.data(), part.size());
      if (size <= 0) break;
      arrived += static_cast<std::size_t>(size);
    }
  });
  std::ostream out(&buffer);
  out << std::string(300'000, 'x') << std::flush;
  reader.join();
  (void)SignalWatch().take();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(arrived, 300'000u);
  EXPECT_EQ(buffer.error(), 0);
}

TEST_F(HeldUpOutput, LosesNothingIfTheReaderReadsOnAfterTheSignal) {
  const SignalWatch signals;
  HeldUpReader patience{.patience = std::chrono::hours(1)};
  std::optional<StandardOutput> buffer(std::in_place, write_end.get(), patience);
  std::ostream out(&*buffer);
  raise(SIGTERM);
  out << std::string(300'000, 'x');
  std::atomic<std::size_t> arrived = 0;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = read(read_end.get(), part.data(), part.size())) > 0;)
      arrived += static_cast<std::size_t>(size);
  });
  while (arrived < 1) std::this_thread::yield();
  (void)SignalWatch().take();
  out << 'y';
  out.flush();
  buffer.reset();
  write_end = FileDescriptor();
  reader.join();
  EXPECT_EQ(arrived, 300'001u);
}

TEST(StandardOutput, RemembersTheFirstFailure) {
  const FileDescriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  HeldUpReader patience;
  StandardOutput buffer(full.get(), patience);
  std::ostream out(&buffer);
  out << "lost";
  out.flush();
  errno = 0;
  out << "lost, too";
  out.flush();
  EXPECT_FALSE(out.good());
  EXPECT_EQ(buffer.error(), ENOSPC);
}

}  // namespace
}  // namespace ddp::cli
