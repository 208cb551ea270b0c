#include "cli/spec/idle_keys.hpp"

#include <gtest/gtest.h>

#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using IdleKeys = SpecFolder;
using Lines = std::vector<std::string>;

TEST_F(IdleKeys, AreToldAtTheirPlace) {
  const auto spec = good(
      "resources: {tasks_per_node: 2}\nrendezvous:\n  backend: gloo\nfault_tolerance: {max_requeues: 2}\n" +
      kCommand);
  EXPECT_EQ(
      find_idle_keys(spec),
      (Lines{"run.yaml:3:12: rendezvous.backend has no effect: the program under `command` chooses its own",
             "run.yaml:4:33: fault_tolerance.max_requeues has no effect: fault_tolerance.requeue is false"}));
}

TEST_F(IdleKeys, OfTheCommandLineToo) {
  const auto spec = good(kCommand, {"fault_tolerance.requeue=true"});
  EXPECT_EQ(find_idle_keys(spec),
            (Lines{"command line: fault_tolerance.requeue has no effect: launcher 'local' has no queue"}));
}

TEST_F(IdleKeys, DefaultsAndWhatIsOffAreNotTold) {
  EXPECT_EQ(find_idle_keys(good(kCommand)), Lines{});
  EXPECT_EQ(find_idle_keys(good(kCommand, {"fault_tolerance.requeue=false"})), Lines{});
}

TEST_F(IdleKeys, WhatHasAnEffectElsewhereIsNotToldThere) {
  const Lines arguments = {"launcher=slurm", "resources.time=1h", "fault_tolerance.requeue=true",
                           "fault_tolerance.max_requeues=2", "fault_tolerance.signal_lead=1m"};
  EXPECT_EQ(find_idle_keys(good(kCommand, arguments)), Lines{});
}

TEST_F(IdleKeys, ASignalThatIsNotSentNeedsNoLead) {
  const auto reason = [this](Lines arguments) {
    arguments.push_back("fault_tolerance.signal_lead=1m");
    const auto lines = find_idle_keys(good(kCommand, std::move(arguments)));
    return lines.size() == 1 ? lines[0].substr(lines[0].rfind(": ") + 2) : std::to_string(lines.size());
  };
  EXPECT_EQ(reason({}), "launcher 'local' stops the run at its time limit, not before");
  EXPECT_EQ(reason({"launcher=slurm"}), "the run has no resources.time");
  EXPECT_EQ(reason({"launcher=slurm", "fault_tolerance.signal=none"}), "fault_tolerance.signal is none");
}

TEST_F(IdleKeys, ALeadThatIsLongerThanTheTimeLimitSaysWhatToChange) {
  EXPECT_EQ(find_idle_keys(good(
                "launcher: slurm\nresources: {time: 30m}\nfault_tolerance: {signal_lead: 1h}\n" + kCommand)),
            Lines{"run.yaml:3:32: fault_tolerance.signal_lead has no effect: with a resources.time of 30m no "
                  "signal is "
                  "sent, because too little time is left before it; set resources.time above 1h1m, or "
                  "fault_tolerance.signal_lead below 29m"});
}

/// A training with fsdp or hsdp, whose keys are those of `section`.
std::string sharded(const std::string& strategy, const std::string& section,
                    const std::string& model = "{name: resnet18, num_classes: 10, in_channels: 1}") {
  return "train:\n  strategy: " + strategy + "\n  " + strategy + ": {" + section +
         "}\n  epochs: 1\n  data: {name: fashion_mnist}\n  optimizer: {name: adam}\n  model: " + model + "\n";
}

TEST_F(IdleKeys, OfShardingThatOneRankDoesNotNeed) {
  EXPECT_EQ(find_idle_keys(good(sharded("fsdp", "prefetch: true, reshard_after_forward: false"))),
            Lines{"run.yaml:3:20: train.fsdp.prefetch has no effect: the run has one rank"});
  EXPECT_EQ(
      find_idle_keys(good(sharded("hsdp", "shard: 4, verify_every_steps: 10"))),
      (Lines{"run.yaml:3:17: train.hsdp.shard has no effect: the run has one rank",
             "run.yaml:3:40: train.hsdp.verify_every_steps has no effect: all ranks are in one group"}));
}

TEST_F(IdleKeys, OfShardingWhereRanksShareTheMemoryOfANode) {
  const Lines told = {
      "run.yaml:3:20: train.fsdp.prefetch has no effect: ranks that share the memory of a node gather a "
      "block when it is needed"};
  const auto fsdp = sharded("fsdp", "prefetch: false");
  EXPECT_EQ(find_idle_keys(good(fsdp, {"resources.tasks_per_node=4"})), told);
  EXPECT_EQ(find_idle_keys(good(fsdp, {"resources.tasks_per_node=4", "rendezvous.shared_memory=false"})),
            Lines{});
  EXPECT_EQ(find_idle_keys(good(fsdp, {"resources.tasks_per_node=4", "rendezvous.backend=mpi"})), Lines{});
  const Lines over_mpi = {"resources.tasks_per_node=4", "rendezvous.backend=mpi",
                          "rendezvous.shared_memory=true"};
  EXPECT_EQ(find_idle_keys(good(fsdp, over_mpi)),
            Lines{"command line: rendezvous.shared_memory has no effect: MPI shares memory by itself"});
  const Lines two_nodes = {"launcher=slurm", "resources.nodes=2", "resources.tasks_per_node=4"};
  EXPECT_EQ(find_idle_keys(good(fsdp, two_nodes)), Lines{});
  const auto count = [&](const std::string& shard) {
    return find_idle_keys(good(sharded("hsdp", "prefetch: true, shard: " + shard), two_nodes)).size();
  };
  EXPECT_EQ(count("0"), 1u);
  EXPECT_EQ(count("1"), 1u);
  EXPECT_EQ(count("2"), 1u);
  EXPECT_EQ(count("8"), 0u);
}

TEST_F(IdleKeys, OfShardingThatAModelWithoutBlocksDoesNotNeed) {
  const auto fsdp = sharded("fsdp", "prefetch: true, reshard_after_forward: false", "{name: convnet}");
  EXPECT_EQ(
      find_idle_keys(good(fsdp, {"resources.tasks_per_node=2"})),
      (Lines{"run.yaml:3:49: train.fsdp.reshard_after_forward has no effect: the model 'convnet' has no "
             "blocks",
             "run.yaml:3:20: train.fsdp.prefetch has no effect: the model 'convnet' has no blocks"}));
}

TEST_F(IdleKeys, OfHybridShardingInOneGroup) {
  const auto hsdp = sharded("hsdp", "verify_every_steps: 10");
  EXPECT_EQ(find_idle_keys(good(hsdp, {"resources.tasks_per_node=4"})),
            Lines{"run.yaml:3:30: train.hsdp.verify_every_steps has no effect: all ranks are in one group"});
  EXPECT_EQ(find_idle_keys(good(hsdp, {"resources.tasks_per_node=4", "train.hsdp.shard=2"})), Lines{});
  EXPECT_EQ(find_idle_keys(good(sharded("hsdp", "verify_every_steps: 0, shard: 0"))), Lines{});
}

TEST_F(IdleKeys, EventsThatCannotComeAreTold) {
  const std::string notify =
      "notify:\n  command: [./notify.sh]\n"
      "  events: [ended, first_step, restarted, requeued, hang_suspected, checkpoint_failed]\n";
  EXPECT_EQ(
      find_idle_keys(good(notify + kCommand)),
      (Lines{"run.yaml:3:31: 'restarted' in notify.events has no effect: fault_tolerance.max_restarts is 0",
             "run.yaml:3:42: 'requeued' in notify.events has no effect: launcher 'local' has no queue",
             "run.yaml:3:68: 'checkpoint_failed' in notify.events has no effect: only `train` reports it"}));
  const auto others =
      find_idle_keys(good(notify + kCommand, {"launcher=slurm", "fault_tolerance.max_restarts=1",
                                              "fault_tolerance.hang_timeout=off"}));
  EXPECT_EQ(
      others,
      (Lines{"run.yaml:3:42: 'requeued' in notify.events has no effect: fault_tolerance.requeue is false",
             "run.yaml:3:52: 'hang_suspected' in notify.events has no effect: "
             "fault_tolerance.hang_timeout is off",
             "run.yaml:3:68: 'checkpoint_failed' in notify.events has no effect: only `train` reports it"}));
}

TEST_F(IdleKeys, EventsNeedACommand) {
  EXPECT_EQ(find_idle_keys(good("notify: {events: [requeued]}\n" + kCommand)),
            (Lines{"run.yaml:1:18: notify.events has no effect: there is no notify.command"}));
}

}  // namespace
}  // namespace ddp::cli
