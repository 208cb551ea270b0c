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

TEST_F(IdleKeys, OneRankHasNothingToPrefetch) {
  const std::string train =
      "train: {epochs: 1, strategy: fsdp, fsdp: {prefetch: true}, model: {name: mlp}, data: {name: "
      "fashion_mnist}, optimizer: {name: adam}}\n";
  EXPECT_EQ(find_idle_keys(good(train)),
            Lines{"run.yaml:1:53: train.fsdp.prefetch has no effect: the run has one rank"});
  EXPECT_EQ(find_idle_keys(good("resources: {tasks_per_node: 2}\n" + train)), Lines{});
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
