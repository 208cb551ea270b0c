#include "trainer/loop/found_checkpoint.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// The checkpoints of a run, and ranks that look for one, each in a thread.
class CheckpointOfRanks : public Checkpoint {
 protected:
  [[nodiscard]] path place(std::uint64_t step) const {
    return folder() / ("step-0000000" + std::to_string(step) + "-a0");
  }

  void save_shards(std::uint64_t step) const { save_sharded_files(place(step), large_state_of(step), 2); }

  static void run_with_groups(int ranks, const std::function<void(ProcessGroup& group)>& rank_main) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    run_ranks(ranks, [&](int rank) {
      constexpr auto kGloo = c10d::ProcessGroup::BackendType::GLOO;
      ProcessGroup group(c10::make_intrusive<c10d::ProcessGroup>(store, rank, ranks));
      const auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, ranks, gloo_options());
      group.c10d_group()->setBackend(c10::DeviceType::CPU, kGloo, gloo);
      group.c10d_group()->setDefaultBackend(kGloo);
      rank_main(group);
      group.barrier();
    });
  }

  [[nodiscard]] std::optional<FoundCheckpoint> find(ProcessGroup& group, const path& run_dir,
                                                    Held parameters = Held::share) const {
    ProgressPage page;
    const Components own;
    const TrainingJob job{config_, {}, run_dir, at::kCPU, page, group, own, {}};
    Reporter silent;
    return find_checkpoint_to_resume(job, parameters, silent);
  }

  /// Rank 1 is ordered to examine the checkpoint of `step`.
  void expect_order(std::uint64_t step, ProcessGroup& group) const {
    const std::string folder = place(step).string();
    EXPECT_EQ(broadcast_text("", 0, group).substr(1, folder.size()), folder);
  }

  /// Rank 0 passes over the checkpoint of step 2 for that of step 1. Rank 1 does what it is told, but after
  /// the order to examine the first one it does what `rank_1` does.
  void pass_over_step_2(const std::function<void(ProcessGroup& group)>& rank_1) const {
    save_shards(1);
    save_shards(2);
    run_with_groups(2, [&](ProcessGroup& group) {
      if (group.rank() == 0) {
        EXPECT_EQ(find(group, run_dir())->state.step, 1u);
        return;
      }
      expect_order(2, group);
      rank_1(group);
      expect_order(1, group);
      (void)group.all_gather(at::ones({1}, at::kLong));
      (void)gather_texts("", group);
      EXPECT_EQ(broadcast_text("", 0, group), "o");
    });
  }

  [[nodiscard]] path run_dir() const { return folder().parent_path(); }

  TrainConfig config_;
};

TEST_F(CheckpointOfRanks, EachRankReadsItsRows) {
  save_shards(2);
  const TrainingState state = large_state_of(2);
  run_with_groups(3, [&](ProcessGroup& group) {
    const auto found = find(group, run_dir());
    ASSERT_TRUE(found && found->files);
    EXPECT_EQ(found->state.step, 2u);
    EXPECT_FALSE(found->state.of_another_run);
    EXPECT_EQ(found->state.rng.size(), state.rng.size());
    EXPECT_TRUE(same_tensors(found->state.extra, state.extra));
    for (const TensorRows& own : rows_of_rank(state.model, group.rank(), 3)) {
      const std::int64_t count = own.shape.empty() ? 1 : own.rows.size(0);
      EXPECT_TRUE(
          same_tensor(found->files->model().read_rows(own.name, own.first, own.first + count), own.rows))
          << own.name << " by rank " << group.rank();
    }
  });
}

TEST_F(CheckpointOfRanks, AllPassOverWhatOneFindsDamaged) {
  save_shards(1);
  for (const TensorPart part : {TensorPart::model, TensorPart::optimizer}) {
    save_shards(2);
    std::fstream file(place(2) / render_shard_name(1, part), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x7f');
    file.close();
    run_with_groups(3, [&](ProcessGroup& group) { EXPECT_EQ(find(group, run_dir())->state.step, 1u); });
    std::filesystem::remove_all(place(2));
  }
}

TEST_F(CheckpointOfRanks, AllTakeTheOneOfAnotherRun) {
  save_sharded_files(place(2), state_of(2), 2);
  config_.checkpoint.path = place(2).string();
  run_with_groups(2, [&](ProcessGroup& group) {
    for (const Held parameters : {Held::share, Held::all}) {
      const auto found = find(group, folder_ / "new", parameters);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->state.step, 2u);
      EXPECT_TRUE(found->state.of_another_run);
      EXPECT_EQ(found->files.has_value(), parameters == Held::share);
    }
  });
}

TEST_F(CheckpointOfRanks, ARunWithoutOneHasNoneOnAllRanks) {
  run_with_groups(2, [&](ProcessGroup& group) {
    EXPECT_FALSE(find(group, run_dir()));
    EXPECT_FALSE(find(group, run_dir(), Held::all));
  });
}

TEST_F(CheckpointOfRanks, AnotherFileOfOneRankIsNotADeletion) {
  pass_over_step_2([](ProcessGroup& group) {
    (void)group.all_gather(at::ones({1}, at::kLong));
    (void)gather_texts("its manifest is another one", group);
    EXPECT_EQ(broadcast_text("", 0, group), "");  // or "deleted"
  });
}

TEST_F(CheckpointOfRanks, ADeletedOneIsNotTakenForAFolderThatARankDoesNotSee) {
  pass_over_step_2([this](ProcessGroup& group) {
    std::filesystem::remove_all(place(2));
    (void)group.all_gather(at::zeros({1}, at::kLong));  // it does not see the folder
    EXPECT_EQ(broadcast_text("", 0, group), "deleted");
  });
}

}  // namespace
}  // namespace ddp::trainer
