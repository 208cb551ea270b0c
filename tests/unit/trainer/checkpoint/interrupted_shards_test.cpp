#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <set>

#include "tests/support/traced_child.hpp"
#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"

// Checkpoints of several ranks whose writing is killed or refused by the system call.
namespace ddp::trainer {
namespace {

constexpr int kRanks = 3;

class InterruptedShards : public Checkpoint {
 protected:
  // Hundreds of saves are much quicker in memory; a killed process leaves the same behind.
  InterruptedShards()
      : Checkpoint(std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                                       : std::filesystem::temp_directory_path()) {}

  void SetUp() override {
    const auto nothing = run_traced([] {}, [](const SystemCall&) { return 0; });
    if (nothing == ChildEnd::not_traceable) GTEST_SKIP() << "ptrace is not allowed here";
  }

  [[nodiscard]] std::filesystem::path place() const { return folder() / "step-00000002-a0"; }

  void start_over() const {
    std::filesystem::remove_all(place());
    std::filesystem::create_directories(place());
  }

  [[nodiscard]] ChildEnd save_until(const Intervention& intervene) const {
    return run_traced([this] { save_sharded_files(place(), state_, kRanks); }, intervene);
  }

  /// What is there is a checkpoint, whole, or is none.
  [[nodiscard]] bool is_whole() const {
    try {
      EXPECT_TRUE(same_state(load_checkpoint_files(place()), state_));
      EXPECT_TRUE(looks_complete(place()));
      return true;
    } catch (const std::exception&) {
      EXPECT_FALSE(looks_complete(place()));
      return false;
    }
  }

  const TrainingState state_ = large_state_of(2);
};

TEST_F(InterruptedShards, KilledBeforeAnySystemCallTheyAreNoCheckpoint) {
  int index = 0;
  int whole = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    end = save_until([index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    const bool is_there = is_whole();
    ASSERT_FALSE(HasFailure()) << "killed before system call " << index;
    ASSERT_TRUE(is_there || whole == 0) << "killed before system call " << index;  // from the manifest on
    whole += is_there ? 1 : 0;
  }
  EXPECT_GT(index, 40);  // ten files, each opened, written, fsynced, closed
  EXPECT_GT(whole, 0);
}

TEST_F(InterruptedShards, NoErrorOfTheDiskGoesUnseen) {
  const std::set<long> calls{SYS_openat, SYS_write, SYS_fsync};
  for (const int error : {ENOSPC, EIO}) {
    bool failed = true;
    for (int target = 0; failed; ++target) {
      start_over();
      int seen = 0;
      failed = false;
      const auto end = save_until([&](const SystemCall& call) {
        if (!calls.contains(call.number) || seen++ != target) return 0;
        failed = true;
        return error;
      });
      ASSERT_NE(end, ChildEnd::killed);
      if (end == ChildEnd::returned) {
        ASSERT_TRUE(is_whole()) << "call " << target << ", error " << error;
      }
    }
  }
}

TEST_F(InterruptedShards, EveryFileIsDurable) {
  int synced = 0;
  start_over();
  const auto end = save_until([&](const SystemCall& call) {
    if (call.number == SYS_fsync) ++synced;
    return 0;
  });
  ASSERT_EQ(end, ChildEnd::returned);
  // Model and optimizer of each rank; generators, the gradient scaler, state.json, manifest.json.
  EXPECT_EQ(synced, 2 * kRanks + 4);
}

}  // namespace
}  // namespace ddp::trainer
