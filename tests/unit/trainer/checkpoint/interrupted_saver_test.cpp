#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <functional>
#include <set>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/support/traced_child.hpp"
#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "trainer/checkpoint/sharded_saver.hpp"

// Checkpoints that ranks write together and that are killed or refused by the system call.
namespace ddp::trainer {
namespace {

constexpr int kWriters = 2;

/// The other ranks do their part when rank 0 has made the folder, in its thread.
class RanksInTurn : public c10d::HashStore {
 public:
  explicit RanksInTurn(std::function<void()> on_folder) : on_folder_(std::move(on_folder)) {}

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    HashStore::set(key, value);
    if (key.find("/folder/") != std::string::npos && value.front() == '+') on_folder_();
  }

 private:
  std::function<void()> on_folder_;
};

class InterruptedSaver : public Checkpoint {
 protected:
  // Hundreds of saves are much quicker in memory; a killed process leaves the same behind.
  InterruptedSaver()
      : Checkpoint(std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                                       : std::filesystem::temp_directory_path()) {
    for (int rank = 0; rank < kWriters; ++rank) parts_.push_back(part_of(state_of(2), rank, kWriters));
  }

  void SetUp() override {
    start_over();
    const auto nothing = run_traced([] {}, [](const SystemCall&) { return 0; });
    if (nothing == ChildEnd::not_traceable) GTEST_SKIP() << "ptrace is not allowed here";
  }

  void start_over() const {
    std::filesystem::remove_all(folder());
    save(1);
  }

  void save_part(const c10::intrusive_ptr<c10d::Store>& ranks, int rank) const {
    ShardedSaver saver(store(), ranks, rank, kWriters, std::chrono::milliseconds(0));
    saver.hurry();  // who is killed does not answer
    (void)saver.save(parts_[static_cast<std::size_t>(rank)], {.keep = keep_});
  }

  /// Saves step 2 with all ranks; `others` does the parts of the others.
  void save_all(const std::function<void(const c10::intrusive_ptr<c10d::Store>&)>& others) const {
    c10::intrusive_ptr<c10d::Store> ranks;
    ranks = c10::make_intrusive<RanksInTurn>([&] { others(ranks); });
    for (int rank = 1; rank < kWriters; ++rank)
      ranks->set("1/bytes/" + std::to_string(rank), std::string("100"));
    save_part(ranks, 0);
  }

  void save_all() const {
    save_all([this](const auto& ranks) {
      for (int rank = 1; rank < kWriters; ++rank) save_part(ranks, rank);
    });
  }

  /// Everything that must hold after a save of step 2 ended somehow: the old or the new state is there, and
  /// saving goes on.
  void expect_usable() const {
    ASSERT_THAT(loaded_step(), testing::AnyOf(1, 2));
    save(3);
    ASSERT_EQ(loaded_step(), 3);
    ASSERT_THAT(names(), Not(testing::Contains(testing::EndsWith(".incomplete"))));
  }

  std::vector<TrainingState> parts_;
  std::int64_t keep_ = 10;
};

TEST_F(InterruptedSaver, KilledBeforeAnySystemCallTheyLoseNothing) {
  std::set<std::uint64_t> seen;
  int index = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    end = run_traced([this] { save_all(); },
                     [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    seen.insert(loaded_step());
    ASSERT_NO_FATAL_FAILURE(expect_usable()) << "killed before system call " << index;
  }
  EXPECT_GT(index, 50);  // eight files, each opened, written, fsynced, closed, ...
  EXPECT_THAT(seen, testing::ElementsAre(1, 2));
}

TEST_F(InterruptedSaver, WhenAnotherRankIsKilledBeforeAnySystemCallNothingIsCommitted) {
  int index = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    const auto others = [&](const c10::intrusive_ptr<c10d::Store>& ranks) {
      end = run_traced([&] { save_part(ranks, 1); },
                       [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    };
    ASSERT_THROW(save_all(others), RankSilent);  // what the child has said is in its own memory
    ASSERT_EQ(loaded_step(), 1) << "killed before system call " << index;
    ASSERT_NO_FATAL_FAILURE(expect_usable()) << "killed before system call " << index;
  }
  EXPECT_GT(index, 8);
}

TEST_F(InterruptedSaver, KilledWhileTheyReplaceOneAndDeleteAnotherTheyLoseNothing) {
  int index = 0;
  std::set<bool> deleted;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    keep_ = 10;
    save_all();
    keep_ = 1;
    end = run_traced([this] { save_all(); },
                     [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    ASSERT_EQ(loaded_step(), 2) << "killed before system call " << index;
    deleted.insert(!std::filesystem::exists(folder() / "step-00000001-a0"));
    ASSERT_NO_FATAL_FAILURE(expect_usable()) << "killed before system call " << index;
  }
  EXPECT_EQ(deleted.size(), 2U);
}

TEST_F(InterruptedSaver, NoErrorOfTheDiskGoesUnseen) {
  const std::set<long> calls{SYS_openat, SYS_mkdir, SYS_write, SYS_fsync, SYS_rename};
  for (const int error : {ENOSPC, EIO}) {
    bool failed = true;
    for (int target = 0; failed; ++target) {
      start_over();
      int seen = 0;
      failed = false;
      const auto end = run_traced([this] { save_all(); },
                                  [&](const SystemCall& call) {
                                    if (!calls.contains(call.number) || seen++ != target) return 0;
                                    failed = true;
                                    return error;
                                  });
      ASSERT_NE(end, ChildEnd::killed);
      if (end == ChildEnd::returned) {
        ASSERT_EQ(loaded_step(), 2) << "call " << target << ", error " << error;
        ASSERT_TRUE(std::filesystem::exists(folder() / "step-00000001-a0"));
      }
      ASSERT_NO_FATAL_FAILURE(expect_usable()) << "call " << target << ", error " << error;
    }
  }
}

TEST_F(InterruptedSaver, EverythingIsDurableBeforeItIsNamed) {
  std::string order;  // f: fsync, r: rename
  const auto end = run_traced([this] { save_all(); },
                              [&](const SystemCall& call) {
                                if (call.number == SYS_fsync) order += 'f';
                                if (call.number == SYS_rename) order += 'r';
                                return 0;
                              });
  ASSERT_EQ(end, ChildEnd::returned);
  // Model and optimizer of both ranks, four more files of rank 0, and the folder; the commit and the folder
  // above; LATEST, its rename, and the folder again.
  EXPECT_EQ(order, "fffffffffrffrf");
}

}  // namespace
}  // namespace ddp::trainer
