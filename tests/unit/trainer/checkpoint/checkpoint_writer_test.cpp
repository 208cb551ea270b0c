#include "trainer/checkpoint/checkpoint_writer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/writes_in_flight.hpp"

namespace ddp::trainer {
namespace {

TrainingState sized_state(std::uint64_t step, std::int64_t numbers = 1000) {
  const auto value = static_cast<float>(step);
  return {.step = step,
          .model = {{"weight", at::full({numbers}, value)}, {"transposed", at::rand({3, 5}).t()}},
          .optimizer = {{"weight.step", at::full({}, value)}, {"weight.moment", at::full({numbers}, -value)}},
          .rng = {at::full({7}, value).to(torch::kUInt8)},
          .extra = {{"scale", at::full({1}, value, torch::kFloat64)}},
          .parameters = 1};
}

/// Its commits wait until they are let go, as if the disk were slow.
class Writer : public testing::Test {
 protected:
  [[nodiscard]] CheckpointStore store() {
    return {folder_.path(), 0, [this] { return gate_.get(); }};
  }
  [[nodiscard]] TrainingState newest() const {
    return load_newest_valid(CheckpointStore(folder_.path(), 0, [] { return 0; })).value();
  }

  TemporaryFolder folder_;
  std::promise<int> let_go_;
  std::shared_future<int> gate_{let_go_.get_future()};
};

TEST_F(Writer, WhatIsWrittenIsTheStateOfTheMomentItWasGiven) {
  CheckpointWriter writer(store());
  TrainingState state = sized_state(1);
  const TrainingState then = sized_state(1);
  state.model[1].second.copy_(then.model[1].second);
  writer.begin(state, {});
  EXPECT_TRUE(writer.is_writing());
  EXPECT_FALSE(writer.poll());
  state.model[1].second.fill_(99);  // a buffer: the next forward pass changes it
  state.extra[0].second.fill_(99);
  state.rng[0].fill_(99);
  writer.await_copy();
  state.model[0].second.fill_(99);
  for (auto& [name, tensor] : state.optimizer) tensor.fill_(99);
  writer.await_copy();
  let_go_.set_value(0);
  const auto end = writer.wait();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error, nullptr);
  EXPECT_EQ(end->outcome.bytes, size_of(then));
  EXPECT_TRUE(same_state(newest(), then));
  EXPECT_FALSE(writer.wait());  // told once
  EXPECT_FALSE(writer.is_writing());
}

TEST_F(Writer, UsesItsMemoryAgainAndTakesMoreForALargerState) {
  let_go_.set_value(0);
  CheckpointWriter writer(store());
  writer.reserve(sized_state(1));
  for (const TrainingState& state :
       {sized_state(1), sized_state(2), sized_state(3, 5000), sized_state(4, 10)}) {
    writer.begin(state, {.keep = 1});
    EXPECT_EQ(writer.wait().value().error, nullptr);
    EXPECT_TRUE(same_state(newest(), state));
  }
}

TEST_F(Writer, AFailureIsToldAndTheCopyCanBeWrittenAgain) {
  CheckpointWriter writer(store());
  let_go_.set_value(0);
  TrainingState state = sized_state(5);
  state.model.push_back(state.model.front());  // no file can hold a name twice
  writer.begin(state, {});
  const auto end = writer.wait();
  ASSERT_TRUE(end);
  EXPECT_THROW(std::rethrow_exception(end->error), std::invalid_argument);
  writer.begin_again();
  EXPECT_NE(writer.wait().value().error, nullptr);
  writer.begin(sized_state(6), {});
  EXPECT_EQ(writer.wait().value().error, nullptr);
  writer.begin_again();
  EXPECT_EQ(writer.wait().value().error, nullptr);
  EXPECT_EQ(newest().step, 6u);
}

TEST_F(Writer, MemoryThatIsAskedForLaterIsNotTakenFromTheCopy) {
  CheckpointWriter writer(store());
  const TrainingState state = sized_state(3, 4 << 20);
  writer.begin(state, {});
  writer.reserve(state);
  let_go_.set_value(0);
  EXPECT_EQ(writer.wait().value().error, nullptr);
  EXPECT_TRUE(same_state(newest(), state));
  for (const TrainingState& like : {state, sized_state(4, 8 << 20)}) {
    writer.reserve(like);
    writer.begin_again();
    EXPECT_EQ(writer.wait().value().error, nullptr);
    EXPECT_TRUE(same_state(newest(), state));
  }
}

TEST_F(Writer, WritesWithoutACopy) {
  CheckpointWriter writer(store());
  const TrainingState state = sized_state(3);
  writer.begin_in_place(state, {});
  EXPECT_FALSE(writer.wait_for(std::chrono::milliseconds{1}));
  let_go_.set_value(0);
  EXPECT_EQ(writer.wait().value().error, nullptr);
  EXPECT_TRUE(writer.wait_for(std::chrono::milliseconds{0}));
  EXPECT_TRUE(same_state(newest(), state));
}

TEST_F(Writer, ASupersededAttemptIsTold) {
  let_go_.set_value(1);
  CheckpointWriter writer(store());
  writer.begin(sized_state(1), {});
  EXPECT_THROW(std::rethrow_exception(writer.wait().value().error), AttemptSuperseded);
}

TEST_F(Writer, AnyThreadCanWaitForTheWrite) {
  CheckpointWriter writer(store());
  EXPECT_TRUE(await_writes(std::chrono::milliseconds{0}));
  writer.begin(sized_state(1), {});
  EXPECT_FALSE(await_writes(std::chrono::milliseconds{1}));
  std::thread([this] {
    let_go_.set_value(0);
    EXPECT_TRUE(await_writes(std::chrono::hours{1}));
    EXPECT_EQ(newest().step, 1u);
  }).join();
}

TEST_F(Writer, ItsEndWaitsForTheWrite) {
  {
    CheckpointWriter writer(store());
    writer.begin(sized_state(1), {});
    let_go_.set_value(0);
  }
  EXPECT_EQ(newest().step, 1u);
}

}  // namespace
}  // namespace ddp::trainer
