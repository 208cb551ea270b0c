#include "trainer/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "jobenv/record/files/crc32c.hpp"
#include "tests/unit/trainer/checkpoint/checkpoint_fixture.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const char* const kFiles[] = {"model.safetensors", "optimizer.safetensors",
                              "rng.safetensors",   "extra.safetensors",
                              "state.json",        "manifest.json"};

std::string read(const path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void write(const path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

TEST_F(Checkpoint, OneThatOnlyCouldNotBeNamedIsThere) {
  std::filesystem::create_directories(folder() / "LATEST");
  EXPECT_THROW(save(3), CheckpointNotNamed);
  EXPECT_EQ(loaded_step(), 3u);
}

TEST_F(Checkpoint, GivesBackWhatItTook) {
  EXPECT_EQ(load_newest_valid(store()), std::nullopt);
  save(7);
  const auto state = load_newest_valid(store());
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
  EXPECT_EQ(load_newest_valid(store())->best, (BestScore{"accuracy", 0.1}));
  store().pin_best(4, {"accuracy", 1.0 / 3});
  save(5, 1, 1);
  EXPECT_THAT(names(), UnorderedElementsAre("step-00000004-a0", "step-00000005-a1", "LATEST", "BEST"));
  EXPECT_EQ(load_newest_valid(store())->best, (BestScore{"accuracy", 1.0 / 3}));
  EXPECT_EQ(read(folder() / "BEST").substr(0, 17), "step-00000004-a0\n");
}

TEST_F(Checkpoint, ABestThatIsGoneOrGarbledHasNoScore) {
  store().save(state_of(1), 1, BestScore{"loss", 2});
  save(2);
  std::filesystem::remove(folder() / "step-00000001-a0" / "state.json");
  EXPECT_EQ(load_newest_valid(store())->best, std::nullopt);
  for (const char* text : {"", "step-00000002-a0", "step-00000002-a0\nloss\n", "../../etc\nloss 1\n"}) {
    write(folder() / "BEST", text);
    EXPECT_EQ(load_newest_valid(store())->best, std::nullopt) << text;
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
  EXPECT_EQ(load_checkpoint(folder()).step, 2);
  EXPECT_THROW((void)load_checkpoint(folder() / "nothing"), NoValidCheckpoint);
  EXPECT_THAT([this] { (void)load_checkpoint(folder() / "step-00000002-a0" / "state.json"); },
              testing::ThrowsMessage<NoValidCheckpoint>(
                  testing::HasSubstr("state.json' points to a checkpoint that does not exist")));
  std::filesystem::resize_file(folder() / "step-00000002-a0" / "model.safetensors", 9);
  EXPECT_THROW((void)load_checkpoint(folder() / "LATEST"), NoValidCheckpoint);
}

TEST_F(Checkpoint, AConfigurationMayHoldAnyBytes) {
  TrainingState state = state_of(1);
  state.settings = {"train.own: \xff"};
  store().save(state, 1);
  EXPECT_EQ(load_newest_valid(store())->settings, std::vector<std::string>{"train.own: \uFFFD"});
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
  EXPECT_TRUE(same_state(*load_newest_valid(store()), other));
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
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t at = random() % std::filesystem::file_size(file);
    const int bit = static_cast<int>(random() % 8);
    flip(at, bit);
    ASSERT_EQ(loaded_step(), 1) << "bit " << bit << " of byte " << at;
    flip(at, bit);
  }
  EXPECT_TRUE(same_state(*load_newest_valid(store()), state));
}

TEST_F(Checkpoint, AThousandStrayFilesAreNotInTheWay) {
  save(1);
  for (int i = 0; i < 500; ++i) {
    write(folder() / ("stray-" + std::to_string(i)), "");
    write(folder() / ("step-" + std::to_string(i) + "-a0"), "");
  }
  save(2);
  EXPECT_EQ(loaded_step(), 2);
  save(3, 0, 1);
  EXPECT_EQ(loaded_step(), 3);
  EXPECT_EQ(names().size(), 1'002u);
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
  EXPECT_TRUE(load_newest_valid(store(), [&](const std::string& text) { told.push_back(text); }));
  EXPECT_THAT(told, ElementsAre(testing::AllOf(HasSubstr("step-00000002-a0"), HasSubstr("state.json"))));
}

TEST_F(Checkpoint, NeverStartsAgainSilently) {
  save(1);
  save(2);
  write(folder() / "step-00000001-a0" / "model.safetensors", "x");
  std::filesystem::remove(folder() / "step-00000002-a0" / "manifest.json");
  EXPECT_THAT(load_error(), testing::AllOf(HasSubstr("step-00000001-a0"), HasSubstr("step-00000002-a0"),
                                           HasSubstr("manifest.json")));
  std::vector<std::string> told;  // all of that is in the error
  EXPECT_THROW(load_newest_valid(store(), [&](const std::string& text) { told.push_back(text); }),
               NoValidCheckpoint);
  EXPECT_THAT(told, testing::IsEmpty());
}

TEST_F(Checkpoint, AnEmptyFolderIsNone) {
  std::filesystem::create_directories(folder() / "step-00000009-a0");
  std::vector<std::string> told;
  const auto tell = [&told](const std::string& text) { told.push_back(text); };
  EXPECT_EQ(load_newest_valid(store(), tell), std::nullopt);
  EXPECT_THAT(told, ElementsAre(testing::EndsWith("step-00000009-a0 is an empty folder and is ignored")));
  write(folder() / "step-00000008-a0", "");
  EXPECT_THAT(load_error(), HasSubstr("step-00000008-a0")) << "a file is a checkpoint that is damaged";
  save(1);
  EXPECT_EQ(load_newest_valid(store(), tell)->step, 1);
}

TEST_F(Checkpoint, AnUnfinishedOneIsNone) {
  save(1);
  for (const char* kind : {".incomplete", ".removed"}) {
    std::filesystem::copy(folder() / "step-00000001-a0", folder() / ("step-00000003-a0" + std::string(kind)));
  }
  std::filesystem::remove_all(folder() / "step-00000001-a0");
  EXPECT_EQ(load_newest_valid(store()), std::nullopt);
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

}  // namespace
}  // namespace ddp::trainer
