#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/agent_process.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {

/// Starts the tasks of all nodes on this machine, each under the name of its node, and ends them all when one
/// of them fails or it is told to end, as srun does.
inline constexpr const char* kFakeSrun = R"(#!/bin/bash
for word; do
  case $word in
    --ntasks=*) tasks=${word#*=} ;;
    --ntasks-per-node=*) per_node=${word#*=} ;;
    --*) ;;
    *) break ;;
  esac
done
agent=${*: -2:1}
echo "$DDPSUBMIT_HEAD" > "$FAKE/endpoints"
[ -z "$FAKE_SRUN_FAILS" ] || exit 5
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null' TERM
start_agent() { SLURMD_NODENAME=node$1 "$agent" "${@:2}" & pids+=($!); echo $! >> "$FAKE/agents"; }
if [ -n "$FAKE_NODE_ROLE" ]; then
  for ((node = 0; node < tasks / per_node; node++)); do
    start_agent $((node + 1)) node --run-dir "$DDPSUBMIT_RUN_DIR" --node-rank $node
  done
else
  export SLURM_STEP_ID=0 SLURM_NTASKS=$tasks SLURM_TASKS_PER_NODE=$per_node\(x$((tasks / per_node))\)
  for ((rank = 0; rank < tasks; rank++)); do
    export SLURM_PROCID=$rank SLURM_LOCALID=$((rank % per_node)) SLURM_NODEID=$((rank / per_node))
    start_agent $((SLURM_NODEID + 1)) task
  done
fi
code=0
for ((left = ${#pids[@]}; left > 0; left--)); do
  wait -n || { code=$?; kill -TERM "${pids[@]}" 2>/dev/null; }
done
exit $code
)";

/// Knows no end of the job, and its step until the last agent is gone.
inline constexpr const char* kFakeSqueue = R"(#!/bin/bash
[ "$1" = --steps ] || { sleep 0.1; echo N/A; exit; }
echo batch
for pid in $(cat "$FAKE/agents"); do
  [ ! -e /proc/$pid ] || echo ddp-agent
done
echo asked >> "$FAKE/questions"
)";

inline constexpr const char* kSleep = "echo $$ >> pids; exec sleep 1000";
inline constexpr const char* kSleepWithOrphan =
    "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids; trap '' TERM; while :; do sleep "
    "1000; done";

/// `ddp-agent head` with launcher slurm and a stand-in for srun: the way over TCP without Slurm.
class SlurmHead : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(run_.beside("bin"));
    install("srun", kFakeSrun);
    install("squeue", kFakeSqueue);
    env_ = EnvMap::capture();
    env_.set("PATH", run_.beside("bin").string() + ":" + env_.get("PATH").value_or(""));
    env_.set("FAKE", run_.beside(""));
  }
  void install(const std::string& name, const std::string& text) {
    const auto path = run_.beside("bin") / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  LaunchPlan plan(int nodes, int tasks_per_node, const std::string& script) const {
    LaunchPlan plan = make_plan(run_.path(), tasks_per_node, script);
    use_launcher(plan, "slurm");
    plan.nodes = nodes;
    plan.agent = build_path("bin/ddp-agent");
    plan.stop_signal = "USR2";
    plan.grace_period = std::chrono::seconds(600);
    return plan;
  }
  void start(const LaunchPlan& plan, const std::string& node = "node1") {
    run_.save(plan);
    ranks_ = static_cast<std::size_t>(plan.nodes) * static_cast<std::size_t>(plan.tasks_per_node);
    env_.set("SLURM_JOB_ID", "42");
    env_.set("SLURM_JOB_NODELIST", plan.nodes == 1 ? "node1" : "node[1-" + std::to_string(plan.nodes) + "]");
    env_.set("SLURM_JOB_NUM_NODES", std::to_string(plan.nodes));
    env_.set("SLURMD_NODENAME", "node1");
    head_.emplace(std::vector<std::string>{"head", "--run-dir", run_.path(), "--node", node}, env_);
  }
  int run(const LaunchPlan& plan) {
    start(plan);
    return head_->wait();
  }

  std::vector<int> agents() const { return read_numbers(run_.beside("agents")); }
  bool ranks_are_there(std::size_t count) const {
    return eventually([&] { return read_numbers(run_.path() / "pids").size() >= count; }) &&
           eventually([&] { return run_.events("rank_started").size() == ranks_; });
  }
  void expect_all_gone() const {
    for (const auto& file : {run_.path() / "pids", run_.beside("agents")}) {
      for (const int pid : read_numbers(file)) {
        EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << "process " << pid << " of " << file;
      }
    }
  }
  [[nodiscard]] std::string state() const { return run_.run_end().value("state", ""); }
  [[nodiscard]] std::string message() const { return run_.run_end().value("message", ""); }

  RunFixture run_;
  EnvMap env_;
  std::optional<AgentProcess> head_;
  std::size_t ranks_ = 0;
};

}  // namespace ddp::agent
