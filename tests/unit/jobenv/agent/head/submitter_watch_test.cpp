#include "jobenv/agent/head/submitter_watch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

class SubmitterWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    head_ = FileDescriptor(ends[0]);
    submitter_ = FileDescriptor(ends[1]);
  }
  [[nodiscard]] int unread() const {
    int size = -1;
    ioctl(head_.get(), FIONREAD, &size);
    return size;
  }

  FileDescriptor head_;
  FileDescriptor submitter_;
  std::unique_ptr<EventLoop> loop_ = EventLoop::create({}, [](int) {}).value();
  int ends_ = 0;
};

TEST_F(SubmitterWatchTest, NoticesTheEndAndNotWhatIsSaid) {
  SubmitterWatch watch(*loop_, head_.get(), [this] { ++ends_; });
  ASSERT_TRUE(watch.begin());
  ASSERT_EQ(write(submitter_.get(), "x", 1), 1);
  ASSERT_TRUE(run_loop_until(*loop_, [this] { return unread() == 0; }));
  EXPECT_EQ(ends_, 0);
  submitter_ = FileDescriptor();
  EXPECT_TRUE(run_loop_until(*loop_, [this] { return ends_ > 0; }));
  EXPECT_EQ(ends_, 1);
}

TEST_F(SubmitterWatchTest, RefusesWhatCannotBeWatched) {
  const FileDescriptor folder(open("/", O_RDONLY | O_CLOEXEC));
  SubmitterWatch watch(*loop_, folder.get(), [this] { ++ends_; });
  EXPECT_FALSE(watch.begin());
}

}  // namespace
}  // namespace ddp::agent
