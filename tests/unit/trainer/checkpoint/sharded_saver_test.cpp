#include "trainer/checkpoint/sharded_saver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <utility>

#include "jobenv/record/latest_checkpoint.hpp"
#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "trainer/checkpoint/checkpoint_writer.hpp"
#include "trainer/checkpoint/writes_in_flight.hpp"

// Ranks, as threads, that write checkpoints together.
namespace ddp::trainer {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds kNoPatience{0};

/// Calls `before_report` in the thread of a rank that has written its part, before it tells rank 0.
class WatchedStore : public c10d::HashStore {
 public:
  explicit WatchedStore(std::function<void()> before_report) : before_report_(std::move(before_report)) {}

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    if (key.find("/report/") != std::string::npos) before_report_();
    HashStore::set(key, value);
  }

 private:
  std::function<void()> before_report_;
};

/// As long as it lives, no file of this process can grow beyond some bytes, as on a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class ShardedSave : public Checkpoint {
 protected:
  using Writers = std::vector<std::unique_ptr<CheckpointWriter>>;

  /// A saver for each rank.
  std::vector<std::unique_ptr<ShardedSaver>> savers(
      int ranks, const std::function<int()>& highest_claim = [] { return 0; }) const {
    std::vector<std::unique_ptr<ShardedSaver>> savers;
    for (int rank = 0; rank < ranks; ++rank) {
      CheckpointStore store(folder(), 0, highest_claim);
      savers.push_back(std::make_unique<ShardedSaver>(std::move(store), store_, rank, ranks));
    }
    return savers;
  }

  /// Saves what each rank has; returns what rank 0 has thrown.
  static std::exception_ptr save_all(const std::vector<std::unique_ptr<ShardedSaver>>& savers,
                                     const std::vector<TrainingState>& parts,
                                     const SaveOptions& options = {.keep = 10}) {
    std::exception_ptr error;
    run_ranks(static_cast<int>(savers.size()), [&](int rank) {
      const auto place = static_cast<std::size_t>(rank);
      try {
        const SaveOutcome outcome = savers[place]->save(parts[place], options);
        if (rank == 0) {
          EXPECT_EQ(outcome.bytes, total_size(parts));
        }
      } catch (...) {
        EXPECT_EQ(rank, 0);
        error = std::current_exception();
      }
    });
    return error;
  }

  /// A writer for each rank.
  Writers writers(int ranks) const {
    Writers writers;
    for (auto& saver : savers(ranks)) writers.push_back(std::make_unique<CheckpointWriter>(std::move(saver)));
    return writers;
  }

  /// Waits for all of them; returns what rank 0 has thrown.
  static std::exception_ptr end_of(const Writers& writers) {
    std::vector<std::exception_ptr> errors;
    for (const auto& writer : writers) errors.push_back(writer->wait().value().error);
    for (std::size_t rank = 1; rank < errors.size(); ++rank) EXPECT_EQ(errors[rank], nullptr) << rank;
    return errors.front();
  }

  /// Writes what each rank has, beside this thread; returns what rank 0 has thrown.
  static std::exception_ptr write_all(const Writers& writers, const std::vector<TrainingState>& parts) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) writers[rank]->begin(parts[rank], {.keep = 10});
    return end_of(writers);
  }

  static std::exception_ptr write_all_again(const Writers& writers) {
    for (const auto& writer : writers) writer->begin_again();
    return end_of(writers);
  }

  static std::uint64_t total_size(const std::vector<TrainingState>& parts) {
    std::uint64_t size = 0;
    for (const auto& part : parts) size += size_of(part);
    return size;
  }

  static std::vector<TrainingState> parts_of(const TrainingState& state, int ranks) {
    std::vector<TrainingState> parts;
    for (int rank = 0; rank < ranks; ++rank) parts.push_back(part_of(state, rank, ranks));
    return parts;
  }

  static std::string text_of(const std::exception_ptr& error) {
    if (!error) return "no error";
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
      return thrown.what();
    }
  }

  void expect_only(const std::string& checkpoint) const {
    EXPECT_THAT(names(), testing::UnorderedElementsAre(checkpoint, "LATEST"));
  }

  c10::intrusive_ptr<c10d::Store> store_ = c10::make_intrusive<c10d::HashStore>();
};

TEST_F(ShardedSave, AllRanksTogetherWriteOneCheckpoint) {
  for (const int ranks : {1, 2, 3, 4, 9}) {
    store_ = c10::make_intrusive<c10d::HashStore>();
    const TrainingState state = large_state_of(2);
    EXPECT_EQ(text_of(save_all(savers(ranks), parts_of(state, ranks))), "no error");
    EXPECT_TRUE(same_state(load_newest_valid(store()).value(), state)) << ranks;
    expect_only("step-00000002-a0");
    std::filesystem::remove_all(folder());
  }
}

TEST_F(ShardedSave, BytesAreCountedOnce) {
  const TrainingState state = large_state_of(2);
  EXPECT_EQ(total_size(parts_of(state, 3)), size_of(state));
}

TEST_F(ShardedSave, OneAfterTheOtherLeavesNoMoreKeys) {
  const auto all = savers(3);
  std::vector<std::int64_t> keys;
  for (std::uint64_t step = 1; step <= 6; ++step) {
    EXPECT_EQ(text_of(save_all(all, parts_of(state_of(step), 3), {.keep = 1})), "no error");
    EXPECT_EQ(loaded_step(), step);
    keys.push_back(store_->getNumKeys());
  }
  EXPECT_EQ(keys.front(), keys.back());
  expect_only("step-00000006-a0");
}

TEST_F(ShardedSave, ARankThatCannotWriteIsToldByRank0) {
  save(1);
  const auto all = savers(3);
  auto parts = parts_of(large_state_of(2), 3);
  auto& rows = parts[2].rows->model;
  parts[2].model.push_back(parts[2].model[2]);  // no file can hold a name twice
  rows.push_back(rows[2]);
  EXPECT_THAT(text_of(save_all(all, parts)), AllOf(HasSubstr("rank 2: "), HasSubstr("used twice")));
  expect_only("step-00000001-a0");
  EXPECT_EQ(text_of(save_all(all, parts_of(state_of(3), 3))), "no error");
  EXPECT_EQ(loaded_step(), 3u);
}

TEST_F(ShardedSave, WhenRank0CannotWriteNothingIsLeft) {
  save(1);
  const auto all = savers(2);
  auto parts = parts_of(large_state_of(2), 2);
  auto& rows = parts[0].rows->model;
  parts[0].model.push_back(parts[0].model.front());
  rows.push_back(rows.front());
  EXPECT_THAT(text_of(save_all(all, parts)), AllOf(Not(HasSubstr("rank")), HasSubstr("used twice")));
  expect_only("step-00000001-a0");
  EXPECT_EQ(text_of(save_all(all, parts_of(state_of(3), 2))), "no error");
  EXPECT_EQ(loaded_step(), 3u);
}

TEST_F(ShardedSave, TheDiskNeedsRoomForTheSumOfAllParts) {
  save(1);
  const auto all = savers(2);
  auto parts = parts_of(state_of(2), 2);
  const auto huge = at::zeros({1}).expand({std::int64_t{1} << 50});
  parts[1].model.emplace_back("huge", huge);
  parts[1].rows->model.push_back({.first = 0, .shape = huge.sizes().vec()});
  EXPECT_THAT(text_of(save_all(all, parts)), HasSubstr("MiB does not fit into"));
  expect_only("step-00000001-a0");
  EXPECT_EQ(text_of(save_all(all, parts_of(state_of(3), 2))), "no error");
}

TEST_F(ShardedSave, ASupersededAttemptCommitsNothing) {
  save(1);
  const auto error = save_all(savers(2, [] { return 1; }), parts_of(state_of(2), 2));
  EXPECT_THROW(std::rethrow_exception(error), AttemptSuperseded);
  expect_only("step-00000001-a0");
}

TEST_F(ShardedSave, AnAttemptThatIsSupersededWhileItWritesCommitsNothing) {
  save(1);
  std::atomic<int> claim = 0;
  store_ = c10::make_intrusive<WatchedStore>([&claim] { claim = 1; });
  const auto error = save_all(savers(2, [&claim] { return claim.load(); }), parts_of(state_of(2), 2));
  ASSERT_EQ(claim, 1);
  ASSERT_NE(error, nullptr);
  EXPECT_THROW(std::rethrow_exception(error), AttemptSuperseded);
  expect_only("step-00000001-a0");
  EXPECT_EQ(find_checkpoint(folder() / "LATEST").value(), folder() / "step-00000001-a0");
}

TEST_F(ShardedSave, ANewAttemptThatWritesMeanwhileIsNotDisturbed) {
  save(1);
  std::atomic<int> claim = 0;
  store_ = c10::make_intrusive<WatchedStore>([&] {
    claim = 1;
    save(3, /*attempt=*/1);  // takes away what the older attempt is writing
  });
  const auto error = save_all(savers(2, [&claim] { return claim.load(); }), parts_of(state_of(4), 2));
  EXPECT_NE(error, nullptr);
  EXPECT_THAT(names(), testing::UnorderedElementsAre("step-00000001-a0", "step-00000003-a1", "LATEST"));
  EXPECT_EQ(find_checkpoint(folder() / "LATEST").value(), folder() / "step-00000003-a1");
  EXPECT_EQ(loaded_step(), 3U);
}

TEST_F(ShardedSave, AFullDiskOfAnyRankCostsThisCheckpointAndNotTheNext) {
  for (std::size_t full = 0; full < 3; ++full) {
    std::filesystem::remove_all(folder());
    save(1);
    store_ = c10::make_intrusive<c10d::HashStore>();
    const Writers all = writers(3);
    auto parts = parts_of(state_of(2), 3);
    const torch::Tensor large = at::zeros({1, 100'000});
    parts[full].model.emplace_back("large", large);
    parts[full].rows->model.push_back({.first = 0, .shape = large.sizes().vec()});
    {
      const FileLimit limit(rlim_t{64} << 10);
      const std::string said = text_of(write_all(all, parts));
      EXPECT_THAT(said, HasSubstr("File too large"));
      EXPECT_EQ(said.starts_with("rank " + std::to_string(full) + ": "), full > 0) << said;
    }
    expect_only("step-00000001-a0");
    EXPECT_EQ(loaded_step(), 1U);
    EXPECT_EQ(text_of(write_all_again(all)), "no error");
    EXPECT_EQ(load_newest_valid(store()).value().step, 2U);
    const TrainingState next = large_state_of(3);
    EXPECT_EQ(text_of(write_all(all, parts_of(next, 3))), "no error");
    EXPECT_TRUE(same_state(load_newest_valid(store()).value(), next)) << full;
    EXPECT_THAT(names(), testing::UnorderedElementsAre("step-00000001-a0", "step-00000002-a0",
                                                       "step-00000003-a0", "LATEST"));
  }
}

TEST_F(ShardedSave, ARankThatDoesNotSeeTheFolderSaysSo) {
  const TemporaryFolder elsewhere;
  auto all = savers(2);
  CheckpointStore other(elsewhere / "checkpoints", 0, [] { return 0; });
  all[1] = std::make_unique<ShardedSaver>(std::move(other), store_, 1, 2);
  EXPECT_THAT(text_of(save_all(all, parts_of(state_of(2), 2))),
              AllOf(HasSubstr("rank 1: "), HasSubstr("set run_root to a folder that all hosts share")));
  EXPECT_TRUE(names().empty());
}

TEST_F(ShardedSave, ARunThatHasFailedDoesNotWaitForRanksThatAreGone) {
  save(1);
  ShardedSaver first(store(), store_, 0, 3, kNoPatience);
  ShardedSaver second(store(), store_, 1, 3, kNoPatience);
  std::exception_ptr error;
  std::jthread rank_0([&] {
    try {
      (void)first.save(part_of(state_of(2), 0, 3), {});
    } catch (...) {
      error = std::current_exception();
    }
  });
  std::jthread rank_1([&] { EXPECT_THROW((void)second.save(part_of(state_of(2), 1, 3), {}), RankSilent); });
  first.hurry();
  second.hurry();
  rank_0.join();
  rank_1.join();
  EXPECT_THROW(std::rethrow_exception(error), RankSilent);
  EXPECT_THAT(text_of(error), AnyOf(HasSubstr("before rank 2 had done its part"),
                                    HasSubstr("before ranks 1 and 2 had done their part")));
  expect_only("step-00000001-a0");
}

TEST_F(ShardedSave, ItIsKnownThatRank0WaitsForAnotherRank) {
  ShardedSaver first(store(), store_, 0, 2);
  ShardedSaver second(store(), store_, 1, 2);
  EXPECT_FALSE(first.waits_for_ranks());
  std::jthread rank_0([&] { (void)first.save(part_of(state_of(1), 0, 2), {}); });
  while (!first.waits_for_ranks()) std::this_thread::yield();
  (void)second.save(part_of(state_of(1), 1, 2), {});
  rank_0.join();
  EXPECT_FALSE(first.waits_for_ranks());
  EXPECT_EQ(loaded_step(), 1u);
}

TEST_F(ShardedSave, ARunThatHasFailedEndsItsCheckpointWhenAllRanksAnswer) {
  const auto all = savers(3);
  for (const auto& saver : all) saver->hurry();
  EXPECT_EQ(text_of(save_all(all, parts_of(state_of(2), 3))), "no error");
  EXPECT_EQ(loaded_step(), 2u);
}

TEST_F(ShardedSave, TheEndOfAProcessHurriesItsWriter) {
  CheckpointWriter writer(std::make_unique<ShardedSaver>(store(), store_, 0, 2, kNoPatience));
  writer.begin(part_of(state_of(2), 0, 2), {});
  EXPECT_TRUE(await_writes(std::chrono::hours{1}));
  EXPECT_THROW(std::rethrow_exception(writer.wait().value().error), RankSilent);
}

TEST_F(ShardedSave, WritersWriteCopiesAndWriteThemAgain) {
  constexpr int kRanks = 3;
  const Writers all = writers(kRanks);
  const TrainingState state = large_state_of(2);
  run_ranks(kRanks, [&](int rank) {
    CheckpointWriter& writer = *all[static_cast<std::size_t>(rank)];
    TrainingState part = part_of(state, rank, kRanks);
    for (auto* tensors : {&part.model, &part.optimizer})
      for (auto& [name, tensor] : *tensors) tensor = tensor.clone();
    writer.reserve(part);
    writer.begin(part, {});
    writer.await_copy();
    for (auto* tensors : {&part.model, &part.optimizer})
      for (auto& [name, tensor] : *tensors) tensor.zero_();
    EXPECT_EQ(writer.wait().value().error, nullptr);
  });
  EXPECT_TRUE(same_state(load_newest_valid(store()).value(), state));
  std::filesystem::remove_all(folder());
  EXPECT_EQ(text_of(write_all_again(all)), "no error");
  EXPECT_TRUE(same_state(load_newest_valid(store()).value(), state));
}

}  // namespace
}  // namespace ddp::trainer
