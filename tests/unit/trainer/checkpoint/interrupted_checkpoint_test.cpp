#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobenv/record/checkpoint_name.hpp"
#include "tests/support/traced_child.hpp"
#include "tests/unit/trainer/checkpoint/checkpoint_fixture.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"

// Saves that are killed, refused or watched by the system call.
namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// What a save does to the disk, seen from outside.
class InterruptedCheckpoint : public Checkpoint {
 protected:
  // Hundreds of saves are much quicker in memory; a killed process leaves the same behind.
  InterruptedCheckpoint()
      : Checkpoint(std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                                       : std::filesystem::temp_directory_path()) {}

  void SetUp() override {
    start_over();
    const auto nothing = run_traced([] {}, [](const SystemCall&) { return 0; });
    if (nothing == ChildEnd::not_traceable) GTEST_SKIP() << "ptrace is not allowed here";
  }

  /// Everything that must hold after a save of step 2 ended somehow: the old or the new state is there, and
  /// saving goes on.
  void expect_usable() const {
    ASSERT_THAT(loaded_step(), testing::AnyOf(1, 2));
    save(3);
    ASSERT_EQ(loaded_step(), 3);
    ASSERT_THAT(names(), Not(testing::Contains(testing::EndsWith(".incomplete"))));
  }

  /// What has the name of a checkpoint is one, the best is there, and saving goes on.
  void expect_whole_ones_only() const {
    for (const auto& name : names()) {
      const auto parsed = parse_checkpoint_name(name);
      if (parsed && parsed->kind >= CheckpointName::Kind::replaced) (void)load_checkpoint(folder() / name);
    }
    ASSERT_THAT(load_checkpoint(folder() / "BEST").step, testing::AnyOf(1, 4));
    save(5);
    ASSERT_EQ(loaded_step(), 5);
  }

  void start_over() const {
    std::filesystem::remove_all(folder());
    save(1);
  }
};

TEST_F(InterruptedCheckpoint, KilledBeforeAnySystemCallItLosesNothing) {
  std::set<std::uint64_t> seen;
  int index = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    end = run_traced([this] { save(2); },
                     [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    seen.insert(loaded_step());
    ASSERT_NO_FATAL_FAILURE(expect_usable()) << "killed before system call " << index;
  }
  EXPECT_GT(index, 30);                           // six files, each opened, written, fsynced, closed, ...
  EXPECT_THAT(seen, testing::ElementsAre(1, 2));  // killed before and after the commit
}

TEST_F(InterruptedCheckpoint, KilledWhileReplacingItLosesNothing) {
  int index = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    end = run_traced([this] { save(1, 0, 1); },
                     [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    ASSERT_EQ(loaded_step(), 1) << "killed before system call " << index;
    ASSERT_NO_FATAL_FAILURE(expect_usable());
  }
}

TEST_F(InterruptedCheckpoint, KilledWhileDeletingItLeavesNoHalfOne) {
  int index = 0;
  for (ChildEnd end = ChildEnd::killed; end == ChildEnd::killed; ++index) {
    start_over();
    store().pin_best(1, {"loss", 5});
    save(2);
    save(3);
    end = run_traced(
        [this] {
          store().save(state_of(4), 1, BestScore{"loss", 4});
        },
        [index](const SystemCall& call) { return call.index == index ? kKill : 0; });
    ASSERT_THAT(loaded_step(), testing::AnyOf(3, 4)) << "killed before system call " << index;
    ASSERT_NO_FATAL_FAILURE(expect_whole_ones_only()) << "killed before system call " << index;
  }
}

TEST_F(InterruptedCheckpoint, AnErrorWhileDeletingLeavesNoHalfOne) {
  const std::set<long> calls{SYS_openat, SYS_mkdir, SYS_write, SYS_fsync, SYS_rename, SYS_unlinkat};
  for (const int error : {ENOSPC, EIO}) {
    bool failed = true;
    for (int target = 0; failed; ++target) {
      start_over();
      store().pin_best(1, {"loss", 5});
      save(2);
      save(3);
      int seen = 0;
      failed = false;
      const auto end = run_traced(
          [this] {
            store().save(state_of(4), 1, BestScore{"loss", 4});
          },
          [&](const SystemCall& call) {
            if (!calls.contains(call.number) || seen++ != target) return 0;
            failed = true;
            return error;
          });
      ASSERT_NE(end, ChildEnd::killed);
      ASSERT_THAT(loaded_step(), testing::AnyOf(end == ChildEnd::returned ? 4 : 3, 4)) << "call " << target;
      ASSERT_NO_FATAL_FAILURE(expect_whole_ones_only()) << "call " << target << ", error " << error;
    }
  }
}

TEST_F(InterruptedCheckpoint, NoErrorOfTheDiskGoesUnseen) {
  const std::set<long> calls{SYS_openat, SYS_mkdir, SYS_write, SYS_fsync, SYS_rename};
  for (const int error : {ENOSPC, EIO}) {
    for (int target = 0;; ++target) {
      start_over();
      int seen = 0;
      bool failed = false;
      const auto end = run_traced([this] { save(2); },
                                  [&](const SystemCall& call) {
                                    if (!calls.contains(call.number) || seen++ != target) return 0;
                                    failed = true;
                                    return error;
                                  });
      if (end == ChildEnd::returned) {
        ASSERT_EQ(loaded_step(), 2) << "call " << target << ", error " << error;
        ASSERT_TRUE(std::filesystem::exists(folder() / "step-00000001-a0"));
      }
      ASSERT_NO_FATAL_FAILURE(expect_usable()) << "call " << target << ", error " << error;
      if (!failed) break;
    }
  }
}

TEST_F(InterruptedCheckpoint, EverythingIsDurableBeforeItIsNamed) {
  std::string order;  // f: fsync, r: rename
  const auto end = run_traced([this] { save(2); },
                              [&](const SystemCall& call) {
                                if (call.number == SYS_fsync) order += 'f';
                                if (call.number == SYS_rename) order += 'r';
                                return 0;
                              });
  ASSERT_EQ(end, ChildEnd::returned);
  // Six files and their folder; the commit and the folder above; LATEST, its rename, and the folder again.
  EXPECT_EQ(order, "fffffffrffrf");
}

/// Runs `body` in a child that has `folder()` mounted as `mount` does it; its exit code, or nullopt when
/// mounting is not allowed here.
std::optional<int> run_mounted(const std::function<bool()>& mount, const std::function<int()>& body) {
  constexpr int kNotAllowed = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && mount();
    ::_exit(mounted ? body() : kNotAllowed);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == kNotAllowed ? std::nullopt : std::optional(WEXITSTATUS(status));
}

TEST_F(Checkpoint, AFullDiskLeavesTheOldOnes) {
  save(1);
  TrainingState large = state_of(2);  // made here: a forked child has none of OpenMP's threads
  large.model.emplace_back("large", at::zeros({100'000}));
  TrainingState fitting = state_of(3);  // but for the page that its header takes
  fitting.model.emplace_back("large", at::zeros({5 * 1024}));
  const auto refused = [&](const TrainingState& state, const char* reason) {
    try {
      store().save(state, 1);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).find(reason) != std::string::npos && loaded_step() == 1 &&
             names().size() == 2;
    }
    return false;
  };
  const auto end = run_mounted([&] { return ::mount("none", folder().c_str(), "tmpfs", 0, "size=64k") == 0; },
                               [&] {
                                 save(1);
                                 if (!refused(large, "lower train.checkpoint.keep")) return 1;
                                 return refused(fitting, "No space left on device") ? 0 : 2;
                               });
  if (!end) GTEST_SKIP() << "mounting a small tmpfs needs root";
  EXPECT_EQ(*end, 0);
}

TEST_F(Checkpoint, AReadOnlyFolderIsReadAndItsNameTold) {
  save(1);
  const std::string place = folder();
  const auto end = run_mounted(
      [&] {
        if (::mount("none", place.c_str(), "tmpfs", 0, nullptr) != 0) return false;
        save(1);
        return ::mount("none", place.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
      },
      [&] {
        try {
          save(2);
        } catch (const std::exception& error) {
          const std::string text = error.what();
          return text.find("Read-only") != text.npos && text.find(place) != text.npos && loaded_step() == 1
                     ? 0
                     : 1;
        }
        return 2;
      });
  if (!end) GTEST_SKIP() << "mounting read-only needs root";
  EXPECT_EQ(*end, 0);
}

}  // namespace
}  // namespace ddp::trainer
