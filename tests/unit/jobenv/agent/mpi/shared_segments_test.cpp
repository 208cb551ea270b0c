#include "jobenv/agent/mpi/shared_segments.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

/// A file that this process has mapped.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& file) {
    const FileDescriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT, 0600));
    EXPECT_EQ(ftruncate(descriptor.get(), 4096), 0);
    memory_ = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(memory_, 4096); }

 private:
  void* memory_;
};

class SharedSegmentsOfRanks : public testing::Test {
 protected:
  SharedSegmentsOfRanks() {
    char name[] = "/dev/shm/ddp-segments-XXXXXX";
    folder_ = mkdtemp(name);
    loop_ = EventLoop::create({}, [](int) {}).value();
  }
  ~SharedSegmentsOfRanks() override { std::filesystem::remove_all(folder_); }

  void begin() {
    segments_.emplace(*loop_, folder_);
    segments_->watch(getpid());
  }
  bool exists(const char* name) { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<SharedSegments> segments_;
};

TEST_F(SharedSegmentsOfRanks, AreRemovedIfTheyAreLeft) {
  begin();
  {
    const Mapping mapping(folder_ / "left");
    segments_->look();
  }
  segments_->remove();
  EXPECT_FALSE(exists("left"));
}

TEST_F(SharedSegmentsOfRanks, AreNoticedWhenTheyAreMade) {
  begin();
  {
    const Mapping mapping(folder_ / "left");
    int rounds = 0;  // the look follows an event of the kernel
    run_loop_until(*loop_, [&] { return ++rounds == 200; });
  }
  segments_->remove();
  EXPECT_FALSE(exists("left"));
}

TEST_F(SharedSegmentsOfRanks, WhatWasThereBeforeStays) {
  { const Mapping made(folder_ / "dataset"); }
  begin();
  {
    const Mapping mapping(folder_ / "dataset");
    segments_->look();
  }
  segments_->remove();
  EXPECT_TRUE(exists("dataset"));
}

TEST_F(SharedSegmentsOfRanks, WhatLiesInAFolderStays) {
  begin();
  std::filesystem::create_directory(folder_ / "data");
  {
    const Mapping mapping(folder_ / "data" / "set");
    segments_->look();
  }
  segments_->remove();
  EXPECT_TRUE(exists("data/set"));
}

TEST_F(SharedSegmentsOfRanks, WhatNobodyHasMappedStays) {
  begin();
  std::ofstream(folder_ / "other") << "x";
  segments_->look();
  segments_->remove();
  EXPECT_TRUE(exists("other"));
}

TEST_F(SharedSegmentsOfRanks, AnotherFileOfTheSameNameStays) {
  begin();
  {
    const Mapping mapping(folder_ / "left");
    segments_->look();
    std::filesystem::rename(folder_ / "left", folder_ / "kept");
  }
  std::ofstream(folder_ / "left") << "new";
  segments_->remove();
  EXPECT_TRUE(exists("left"));
  EXPECT_TRUE(exists("kept"));
}

}  // namespace
}  // namespace ddp::agent
