#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "jobenv/record/latest_checkpoint.hpp"
#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/safetensors.hpp"

// Checkpoints that every rank writes.
namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

class ShardedCheckpoint : public Checkpoint {
 protected:
  [[nodiscard]] path place(std::uint64_t step = 2) const {
    return folder() / ("step-0000000" + std::to_string(step) + "-a0");
  }

  void save_sharded(const TrainingState& state, int ranks) const {
    save_sharded_files(place(state.step), state, ranks);
  }

  [[nodiscard]] static std::string bytes_of(const path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  static void write(const path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  [[nodiscard]] std::string fault() const {
    try {
      (void)load_checkpoint_files(place());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  [[nodiscard]] std::vector<path> files() const {
    std::vector<path> files;
    for (const auto& entry : std::filesystem::directory_iterator(place())) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
};

TEST_F(ShardedCheckpoint, IsReadWhole) {
  for (const int ranks : {1, 2, 3, 4, 7, 9}) {
    const TrainingState state = large_state_of(2);
    save_sharded(state, ranks);
    EXPECT_TRUE(same_state(load_checkpoint_files(place()), state)) << ranks;
    EXPECT_TRUE(looks_complete(place()));
    EXPECT_TRUE(is_checkpoint(place()));
    EXPECT_EQ(load_newest_valid(store())->step, 2);
    EXPECT_TRUE(same_state(load_checkpoint(place()), state));
    std::filesystem::remove_all(place());
  }
}

TEST_F(ShardedCheckpoint, HasAFileOfEachKindForEachRankWithRows) {
  save_sharded(large_state_of(2), 2);
  std::vector<std::string> names;
  for (const auto& file : files()) names.push_back(file.filename());
  EXPECT_THAT(names, testing::ElementsAre("extra.safetensors", "manifest.json", "rng.safetensors",
                                          "shard-00001-model-00001-of-00001.safetensors",
                                          "shard-00001-optimizer-00001-of-00001.safetensors",
                                          "shard-00002-model-00001-of-00001.safetensors",
                                          "shard-00002-optimizer-00001-of-00001.safetensors", "state.json"));
  EXPECT_EQ(nlohmann::json::parse(bytes_of(place() / "manifest.json")).at("format"), 2);
}

TEST_F(ShardedCheckpoint, ARankWithoutRowsWritesNoFile) {
  const std::vector<TensorRows> none = rows_of_rank({{"w", at::zeros({2})}}, 3, 4);
  std::filesystem::create_directories(place());
  EXPECT_TRUE(save_shard_files(place(), 3, {.model = none, .optimizer = {}}).empty());
  EXPECT_TRUE(std::filesystem::is_empty(place()));
  EXPECT_THROW(save_shared_files(place(), state_of(2), {}), std::invalid_argument);
}

TEST_F(ShardedCheckpoint, IsReadByAnyNumberOfRanks) {
  const TrainingState state = large_state_of(2);
  for (const int writers : {1, 3, 4}) {
    save_sharded(state, writers);
    const CheckpointReader reader(place());
    for (const int readers : {1, 2, 3, 5, 8}) {
      for (int rank = 0; rank < readers; ++rank) {
        for (const auto& [part, tensors] :
             {std::pair(&reader.model(), &state.model), std::pair(&reader.optimizer(), &state.optimizer)}) {
          for (const TensorRows& own : rows_of_rank(*tensors, rank, readers)) {
            ASSERT_NE(part->find(own.name), nullptr) << own.name;
            EXPECT_EQ(part->find(own.name)->shape, own.shape);
            const std::int64_t count = own.shape.empty() ? 1 : own.rows.size(0);
            EXPECT_TRUE(same_tensor(part->read_rows(own.name, own.first, own.first + count), own.rows))
                << own.name << " by rank " << rank << " of " << readers << ", written by " << writers;
          }
        }
      }
    }
    std::filesystem::remove_all(place());
  }
}

TEST_F(ShardedCheckpoint, AWholeOneIsReadByRowsToo) {
  const TrainingState state = large_state_of(2);
  store().save(state, 1);
  const CheckpointReader reader(place());
  for (int rank = 0; rank < 3; ++rank) {
    const TensorRows own = rows_of_rank("embed.weight", state.model[2].second, rank, 3);
    EXPECT_TRUE(same_tensor(reader.model().read_rows("embed.weight", own.first, own.first + own.rows.size(0)),
                            own.rows));
  }
  EXPECT_EQ(reader.progress().step, 2);
  EXPECT_TRUE(reader.progress().model.empty());
  EXPECT_EQ(reader.load_rng().size(), 2u);
  EXPECT_TRUE(same_tensors(reader.load_extra(), state.extra));
}

TEST_F(ShardedCheckpoint, RanksShareTheWorkOfVerifying) {
  save_sharded(large_state_of(2), 4);
  const CheckpointReader reader(place());
  auto all = reader.tensor_files();
  EXPECT_EQ(all.size(), 10u);
  std::vector<std::string> verified;
  for (int rank = 0; rank < 3; ++rank) {
    const auto share = reader.share_of_files(rank, 3);
    EXPECT_GE(share.size(), 2u);
    reader.verify(share);
    verified.insert(verified.end(), share.begin(), share.end());
  }
  EXPECT_THAT(verified, testing::UnorderedElementsAreArray(all));
  for (const auto& name : all) {
    const std::string whole = bytes_of(place() / name);
    std::string damaged = whole;
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    write(place() / name, damaged);
    const std::vector<std::string> one{name};
    EXPECT_THAT([&] { reader.verify(one); }, testing::ThrowsMessage<std::runtime_error>(
                                                 AllOf(HasSubstr(name), HasSubstr("its manifest"))));
    write(place() / name, whole);
  }
  reader.verify(all);
}

TEST_F(ShardedCheckpoint, TellsWhatIsMissing) {
  for (int i = 0; i < 8; ++i) {
    save_sharded(large_state_of(2), 2);
    const path file = files().at(static_cast<std::size_t>(i));
    std::filesystem::remove(file);
    EXPECT_THAT(fault(), HasSubstr(file.filename().string())) << file;
    EXPECT_FALSE(looks_complete(place())) << file;
    std::filesystem::remove_all(place());
  }
}

TEST_F(ShardedCheckpoint, FallsBackFromEveryTruncation) {
  save(1);
  save_sharded(large_state_of(2), 2);
  for (const path& file : files()) {
    const std::string whole = bytes_of(file);
    // The newline at the end of the manifest says nothing.
    for (std::size_t size = 0; size + 1 < whole.size(); size += 5) {
      write(file, whole.substr(0, size));
      ASSERT_EQ(load_newest_valid(store())->step, 1) << file << " cut to " << size;
    }
    write(file, whole);
  }
  EXPECT_EQ(load_newest_valid(store())->step, 2);
}

TEST_F(ShardedCheckpoint, NoFlippedBitGoesUnseen) {
  save(1);
  const TrainingState state = large_state_of(2);
  save_sharded(state, 3);
  for (const path& file : files()) {
    const std::string whole = bytes_of(file);
    for (std::size_t at = 0; at < whole.size(); at += 3) {  // each bit of the eight in turn
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
      write(file, damaged);
      const auto loaded = load_newest_valid(store());
      ASSERT_TRUE(loaded->step == 1 || same_state(*loaded, state)) << file << " at " << at;
    }
    write(file, whole);
  }
}

TEST_F(ShardedCheckpoint, SeesAShardOfAnotherCheckpoint) {
  save_sharded(large_state_of(2), 2);
  save_sharded(large_state_of(3), 2);
  const std::string name = render_shard_name(1, TensorPart::model);
  const std::string whole = bytes_of(place() / name);
  write(place() / name, bytes_of(place(3) / name));
  EXPECT_THAT(fault(), AllOf(HasSubstr(name), HasSubstr("does not match its manifest")));
  write(place() / name, whole);
  EXPECT_EQ(fault(), "none");
}

TEST_F(ShardedCheckpoint, SeesThatTheSumsOfARankWereLeftOut) {
  const TrainingState state = large_state_of(2);
  std::filesystem::create_directories(place());
  FileSums sums;
  for (const int rank : {0, 2})
    sums.merge(
        save_shard_files(place(), rank, {.model = rows_of_rank(state.model, rank, 3), .optimizer = {}}));
  save_shared_files(place(), state, sums);
  EXPECT_THAT(fault(), HasSubstr("but no shard holds rows "));
}

TEST_F(ShardedCheckpoint, AnOlderDdptrainIsToldByTheFormat) {
  save_sharded(large_state_of(2), 2);
  auto manifest = nlohmann::json::parse(bytes_of(place() / "manifest.json"));
  manifest["format"] = 3;
  write(place() / "manifest.json", manifest.dump());
  EXPECT_THAT(fault(), HasSubstr("manifest.json' has the format 3, which only a newer version can read"));
  manifest["format"] = 1;  // which has other files
  write(place() / "manifest.json", manifest.dump());
  EXPECT_THAT(fault(), HasSubstr("does not name 'model.safetensors'"));
  EXPECT_FALSE(looks_complete(place()));
}

TEST_F(ShardedCheckpoint, AWholeOneDoesNotPassForASharded) {
  save(2);
  auto manifest = nlohmann::json::parse(bytes_of(place() / "manifest.json"));
  manifest["format"] = 2;
  write(place() / "manifest.json", manifest.dump());
  EXPECT_THAT(fault(), HasSubstr("names no files of the ranks"));
}

TEST_F(ShardedCheckpoint, KeepsToTheRulesOfAllCheckpoints) {
  save_sharded(large_state_of(1), 2);
  store().pin_best(1, {"loss", 5});
  save(2, 0, 1);
  EXPECT_THAT(names(),
              testing::UnorderedElementsAre("step-00000001-a0", "step-00000002-a0", "LATEST", "BEST"));
  EXPECT_EQ(load_newest_valid(store())->best, (BestScore{"loss", 5}));
  store().pin_best(2, {"loss", 4});
  save(3, 0, 2);
  EXPECT_THAT(names(), testing::UnorderedElementsAre("step-00000001-a0", "step-00000002-a0",
                                                     "step-00000003-a0", "LATEST", "BEST"));
  save(4, 0, 1);
  EXPECT_THAT(names(),
              testing::UnorderedElementsAre("step-00000002-a0", "step-00000004-a0", "LATEST", "BEST"));
}

}  // namespace
}  // namespace ddp::trainer
