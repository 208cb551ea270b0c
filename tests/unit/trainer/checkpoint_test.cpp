#include "trainer/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/traced_child.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/checkpoint_name.hpp"
#include "trainer/checkpoint/crc32c.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const char* const kFiles[] = {"model.safetensors", "optimizer.safetensors",
                              "rng.safetensors",   "extra.safetensors",
                              "state.json",        "manifest.json"};

/// A state whose every number and byte depends on `step`.
TrainingState state_of(std::uint64_t step) {
  const auto value = static_cast<float>(step);
  return {.step = step,
          .epoch = step / 10,
          .position = step % 10,
          .world_size = 2,
          .batch_size = static_cast<std::int64_t>(8 + step),
          .config_hash = "hash-" + std::to_string(step),
          .model = {{"fc.weight", at::full({2, 3}, value)}, {"fc.bias", at::full({2}, -value)}},
          .optimizer = {{"fc.weight.exp_avg", at::full({2, 3}, value / 3)}},
          .rng = {at::full({5}, value).to(torch::kUInt8), at::full({5}, value + 1).to(torch::kUInt8)},
          .extra = {{"scaler.scale", at::full({1}, value * 2)}}};
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

TEST_F(Checkpoint, OneThatOnlyCouldNotBeNamedIsThere) {
  std::filesystem::create_directories(folder() / "LATEST");
  EXPECT_THROW(save(3), CheckpointNotNamed);
  EXPECT_EQ(loaded_step(), 3u);
}

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

TEST_F(Checkpoint, NeverDeletesTheBest) {
  store().save(state_of(1), 1, BestScore{"accuracy", 0.1});
  for (std::uint64_t step = 2; step <= 4; ++step) save(step, 0, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000001-a0", "step-00000004-a0", "LATEST", "BEST"));
  EXPECT_EQ(store().load_newest_valid()->best, (BestScore{"accuracy", 0.1}));
  store().pin_best(4, {"accuracy", 1.0 / 3});
  save(5, 1, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000004-a0", "step-00000005-a1", "LATEST", "BEST"));
  EXPECT_EQ(store().load_newest_valid()->best, (BestScore{"accuracy", 1.0 / 3}));
  EXPECT_EQ(read(folder() / "BEST").substr(0, 17), "step-00000004-a0\n");
}

TEST_F(Checkpoint, ABestThatIsGoneOrGarbledHasNoScore) {
  store().save(state_of(1), 1, BestScore{"loss", 2});
  save(2);
  std::filesystem::remove(folder() / "step-00000001-a0" / "state.json");
  EXPECT_EQ(store().load_newest_valid()->best, std::nullopt);
  for (const char* text : {"", "step-00000002-a0", "step-00000002-a0\nloss\n", "../../etc\nloss 1\n"}) {
    write(folder() / "BEST", text);
    EXPECT_EQ(store().load_newest_valid()->best, std::nullopt) << text;
    save(3);
  }
}

TEST_F(Checkpoint, WhatItCannotDeleteIsAWarning) {
  save(1);
  std::filesystem::create_directories(folder() / "BEST");  // cannot be read, so nobody knows what to keep
  const SaveOutcome outcome = store().save(state_of(2), 1);
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("BEST")));
  EXPECT_TRUE(std::filesystem::exists(folder() / "step-00000001-a0"));
  EXPECT_EQ(loaded_step(), 2);
}

TEST_F(Checkpoint, OneIsLoadedByItsPlace) {
  store().save(state_of(1), 9, BestScore{"loss", 2});
  save(2);
  EXPECT_EQ(load_checkpoint(folder() / "step-00000002-a0").step, 2);
  EXPECT_EQ(load_checkpoint(folder() / "LATEST").step, 2);
  EXPECT_EQ(load_checkpoint(folder() / "BEST").step, 1);
  for (const path& place : {folder(), folder() / "nothing", folder() / "step-00000002-a0" / "state.json"})
    EXPECT_THROW((void)load_checkpoint(place), NoValidCheckpoint) << place;
  std::filesystem::resize_file(folder() / "step-00000002-a0" / "model.safetensors", 9);
  EXPECT_THROW((void)load_checkpoint(folder() / "LATEST"), NoValidCheckpoint);
}

TEST_F(Checkpoint, ReadsWhatTheFirstVersionWrote) {
  TrainingState state = state_of(1);
  state.extra.clear();
  store().save(state, 1);
  const path file = folder() / "step-00000001-a0" / "state.json";
  auto value = nlohmann::json::parse(read(file));
  value.erase("batch_size");
  value.erase("extra_tensors");
  const std::string text = value.dump();
  write(file, text);
  const path manifest_file = folder() / "step-00000001-a0" / "manifest.json";
  auto manifest = nlohmann::json::parse(read(manifest_file));
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08x", crc32c(std::as_bytes(std::span(text))));
  manifest["files"]["state.json"] = {{"size", text.size()}, {"crc32c", sum}};
  write(manifest_file, manifest.dump());
  const auto loaded = store().load_newest_valid();
  ASSERT_TRUE(loaded);
  state.batch_size = 0;
  EXPECT_TRUE(same_state(*loaded, state));
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

TEST_F(Checkpoint, NoBitOfALargeFileIsLost) {
  save(1);
  TrainingState state = state_of(2);
  state.model.emplace_back("large", at::rand({1000, 1000}));
  store().save(state, 9);
  const path file = folder() / "step-00000002-a0" / "model.safetensors";
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  std::mt19937_64 random(20);  // the same places each time
  const auto flip = [&](std::uint64_t at, int bit) {
    char byte = 0;
    bytes.seekg(static_cast<std::streamoff>(at)).get(byte);
    bytes.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte ^ (1 << bit))).flush();
  };
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = random() % std::filesystem::file_size(file);
    const int bit = static_cast<int>(random() % 8);
    flip(at, bit);
    ASSERT_EQ(loaded_step(), 1) << "bit " << bit << " of byte " << at;
    flip(at, bit);
  }
  EXPECT_TRUE(same_state(*store().load_newest_valid(), state));
}

TEST_F(Checkpoint, TenThousandStrayFilesAreNotInTheWay) {
  save(1);
  for (int i = 0; i < 5000; ++i) {
    write(folder() / ("stray-" + std::to_string(i)), "");
    write(folder() / ("step-" + std::to_string(i) + "-a0"), "");
  }
  save(2);
  EXPECT_EQ(loaded_step(), 2);
  save(3, 0, 1);
  EXPECT_EQ(loaded_step(), 3);
  EXPECT_EQ(names().size(), 10'002u);
}

TEST_F(Checkpoint, SeesFilesOfAnotherCheckpoint) {
  save(1);
  save(2);
  for (const path name :
       {"model.safetensors", "optimizer.safetensors", "rng.safetensors", "extra.safetensors", "state.json"}) {
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
  save(1);
  for (const char* kind : {".incomplete", ".removed"}) {
    std::filesystem::copy(folder() / "step-00000001-a0", folder() / ("step-00000003-a0" + std::string(kind)));
  }
  std::filesystem::remove_all(folder() / "step-00000001-a0");
  EXPECT_EQ(store().load_newest_valid(), std::nullopt);
}

TEST_F(Checkpoint, SweepsWhatItsOwnAndEarlierAttemptsLeft) {
  for (const char* name : {"step-00000001-a0.incomplete", "step-00000002-a1.incomplete",
                           "step-00000003-a2.incomplete", "step-00000001-a0.removed"}) {
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
  EXPECT_GT(index, 30);                  // six files, each opened, written, fsynced, closed, ...
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
