#include "trainer/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/traced_child.hpp"
#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const char* const kFiles[] = {"model.safetensors", "optimizer.safetensors", "rng.safetensors", "state.json",
                              "manifest.json"};

/// A state whose every number and byte depends on `step`.
TrainingState state_of(std::uint64_t step) {
  const auto value = static_cast<float>(step);
  return {.step = step,
          .epoch = step / 10,
          .position = step % 10,
          .seed = 40 + step,
          .world_size = 2,
          .config_hash = "hash-" + std::to_string(step),
          .model = {{"fc.weight", at::full({2, 3}, value)}, {"fc.bias", at::full({2}, -value)}},
          .optimizer = {{"fc.weight.exp_avg", at::full({2, 3}, value / 3)}},
          .rng = {at::full({5}, value).to(torch::kUInt8), at::full({5}, value + 1).to(torch::kUInt8)}};
}

bool same_state(const TrainingState& a, const TrainingState& b) {
  return a.step == b.step && a.epoch == b.epoch && a.position == b.position && a.seed == b.seed &&
         a.world_size == b.world_size && a.config_hash == b.config_hash && same_tensors(a.model, b.model) &&
         same_tensors(a.optimizer, b.optimizer) && std::ranges::equal(a.rng, b.rng, same_tensor);
}

std::string read(const path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void write(const path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

class Checkpoint : public testing::Test {
 protected:
  [[nodiscard]] path folder() const { return folder_ / "run" / "checkpoints"; }

  [[nodiscard]] CheckpointStore store(int attempt = 0) const {
    return {folder(), attempt, [attempt] { return attempt; }};
  }

  void save(std::uint64_t step, int attempt = 0, std::int64_t keep = 10) const {
    store(attempt).save(state_of(step), keep);
  }

  /// The step of the checkpoint that is loaded, whole; 0 for none.
  [[nodiscard]] std::uint64_t loaded_step() const {
    const auto state = store().load_newest_valid();
    if (!state) return 0;
    EXPECT_TRUE(same_state(*state, state_of(state->step)));
    return state->step;
  }

  [[nodiscard]] std::string load_error() const {
    try {
      (void)store().load_newest_valid();
    } catch (const NoValidCheckpoint& error) {
      return error.what();
    }
    return "";
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      names.push_back(entry.path().filename());
    return names;
  }

  explicit Checkpoint(const path& parent = std::filesystem::temp_directory_path()) : folder_(parent) {}

  TemporaryFolder folder_;
};

TEST_F(Checkpoint, GivesBackWhatItTook) {
  EXPECT_EQ(store().load_newest_valid(), std::nullopt);
  save(7);
  const auto state = store().load_newest_valid();
  ASSERT_TRUE(state);
  EXPECT_TRUE(same_state(*state, state_of(7)));
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000007-a0", "LATEST"));
  EXPECT_EQ(read(folder() / "LATEST"), "step-00000007-a0\n");
}

TEST_F(Checkpoint, LeavesThoseOfALaterAttemptAlone) {
  save(5, 1);
  int asked = 0;
  CheckpointStore zombie(folder(), 0, [&] { return asked++ == 0 ? 0 : 1; });  // claimed during the commit
  zombie.save(state_of(9), 1);
  EXPECT_EQ(read(folder() / "LATEST"), "step-00000005-a1\n");
  EXPECT_EQ(loaded_step(), 5);
  save(10, 0, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000005-a1", "step-00000010-a0", "LATEST"));
}

TEST_F(Checkpoint, KeepsStepsBeyondEightDigits) {
  save(99'999'999);
  save(123'456'789);
  EXPECT_EQ(loaded_step(), 123'456'789);
}

TEST_F(Checkpoint, KeepsTheNewest) {
  for (std::uint64_t step = 1; step <= 5; ++step) save(step, 0, 2);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000004-a0", "step-00000005-a0", "LATEST"));
  save(6, 0, 0);  // at least one
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000006-a0", "LATEST"));
}

TEST_F(Checkpoint, ALaterAttemptIsNewerThanAHigherStep) {
  save(20, 0);
  save(10, 1);
  EXPECT_EQ(loaded_step(), 10);
  save(11, 1, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000011-a1", "LATEST"));
}

TEST_F(Checkpoint, DamagedOnesDoNotCountAsKept) {
  save(1);
  save(2);
  std::filesystem::resize_file(folder() / "step-00000002-a0" / "model.safetensors", 9);
  save(3, 0, 2);
  EXPECT_TRUE(std::filesystem::exists(folder() / "step-00000001-a0"));
  save(4, 0, 2);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000003-a0", "step-00000004-a0", "LATEST"));
}

TEST_F(Checkpoint, ReplacesTheSameStep) {
  save(4);
  TrainingState other = state_of(4);
  other.position = 0;
  other.epoch = 1;
  store().save(other, 3);
  EXPECT_TRUE(same_state(*store().load_newest_valid(), other));
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000004-a0", "LATEST"));
}

TEST_F(Checkpoint, DoesNotNeedLatest) {
  save(1);
  save(2);
  write(folder() / "LATEST", "step-00000001-a0\n");
  EXPECT_EQ(loaded_step(), 2);
  std::filesystem::remove(folder() / "LATEST");
  EXPECT_EQ(loaded_step(), 2);
}

TEST_F(Checkpoint, IgnoresForeignNames) {
  for (const char* name :
       {"step-1-a0", "step-00000009-a0.backup", "step-00000009-a", "step--0000009-a0", "notes"}) {
    std::filesystem::create_directories(folder() / name);
  }
  EXPECT_EQ(loaded_step(), 0);
}

TEST_F(Checkpoint, FallsBackFromEveryTruncationAndMissingFile) {
  save(1);
  for (const path name : kFiles) {
    save(2);
    const path file = folder() / "step-00000002-a0" / name;
    // The newline at the end of the manifest says nothing.
    const std::uintmax_t whole = std::filesystem::file_size(file) - (name == "manifest.json" ? 1 : 0);
    for (std::uintmax_t size = whole; size-- > 0;) {
      std::filesystem::resize_file(file, size);
      ASSERT_EQ(loaded_step(), 1) << name << " cut to " << size;
    }
    std::filesystem::remove(file);
    ASSERT_EQ(loaded_step(), 1) << name << " removed";
  }
}

TEST_F(Checkpoint, NoFlippedBitGoesUnseen) {
  save(1);
  save(2);
  for (const path name : kFiles) {
    const path file = folder() / "step-00000002-a0" / name;
    const std::string whole = read(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
      write(file, damaged);
      ASSERT_THAT(loaded_step(), testing::AnyOf(1, 2)) << name << " at " << at;  // whole, says loaded_step
    }
    write(file, whole);
  }
}

TEST_F(Checkpoint, SeesFilesOfAnotherCheckpoint) {
  save(1);
  save(2);
  for (const path name : {"model.safetensors", "optimizer.safetensors", "rng.safetensors", "state.json"}) {
    const path mine = folder() / "step-00000002-a0" / name;
    const std::string whole = read(mine);
    write(mine, read(folder() / "step-00000001-a0" / name));
    EXPECT_EQ(loaded_step(), 1) << name;
    write(mine, whole);
  }
  EXPECT_EQ(loaded_step(), 2);
}

TEST_F(Checkpoint, TellsWhatWasPassedOver) {
  save(1);
  save(2);
  std::filesystem::remove(folder() / "step-00000002-a0" / "state.json");
  std::vector<std::string> told;
  EXPECT_TRUE(store().load_newest_valid([&](const std::string& text) { told.push_back(text); }));
  EXPECT_THAT(told, ElementsAre(testing::AllOf(HasSubstr("step-00000002-a0"), HasSubstr("state.json"))));
}

TEST_F(Checkpoint, NeverStartsAgainSilently) {
  save(1);
  save(2);
  write(folder() / "step-00000001-a0" / "model.safetensors", "x");
  std::filesystem::remove(folder() / "step-00000002-a0" / "manifest.json");
  EXPECT_THAT(load_error(), testing::AllOf(HasSubstr("step-00000001-a0"), HasSubstr("step-00000002-a0"),
                                           HasSubstr("manifest.json")));
}

TEST_F(Checkpoint, AnUnfinishedOneIsNone) {
  std::filesystem::create_directories(folder() / "step-00000003-a0.incomplete");
  EXPECT_EQ(store().load_newest_valid(), std::nullopt);
}

TEST_F(Checkpoint, SweepsWhatItsOwnAndEarlierAttemptsLeft) {
  for (const char* name :
       {"step-00000001-a0.incomplete", "step-00000002-a1.incomplete", "step-00000003-a2.incomplete"}) {
    std::filesystem::create_directories(folder() / name);
    write(folder() / name / "model.safetensors", "half");
  }
  save(4, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000003-a2.incomplete", "step-00000004-a1", "LATEST"));
}

TEST_F(Checkpoint, ASupersededAttemptCommitsNothing) {
  save(1);
  int highest = 0;
  CheckpointStore zombie(folder(), 0, [&] { return highest; });
  zombie.save(state_of(2), 3);
  highest = 1;
  EXPECT_THROW(zombie.save(state_of(3), 1), AttemptSuperseded);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000001-a0", "step-00000002-a0", "LATEST"));
  EXPECT_EQ(loaded_step(), 2);
}

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
  EXPECT_GT(index, 30);                  // five files, each opened, written, fsynced, closed, ...
  EXPECT_THAT(seen, ElementsAre(1, 2));  // killed before and after the commit
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
  // Five files and their folder; the commit and the folder above; LATEST, its rename, and the folder again.
  EXPECT_EQ(order, "ffffffrffrf");
}

TEST_F(Checkpoint, AFullDiskLeavesTheOldOnes) {
  save(1);
  TrainingState large = state_of(2);  // made here: a forked child has none of OpenMP's threads
  large.model.emplace_back("large", at::zeros({100'000}));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", folder().c_str(), "tmpfs", 0, "size=64k") != 0) {
      ::_exit(77);
    }
    save(1);
    try {
      store().save(large, 1);
    } catch (const std::runtime_error& error) {
      const bool named = std::string(error.what()).find("model.safetensors") != std::string::npos;
      ::_exit(named && loaded_step() == 1 && names().size() == 2 ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "mounting a small tmpfs needs root";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ddp::trainer
