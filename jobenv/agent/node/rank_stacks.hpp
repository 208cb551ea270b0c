#pragma once

#include <sys/types.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/node/judgement.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Finds out where the ranks of an agent are: for each a process of `ddp-agent stack`, side by side.
class RankStacks {
 public:
  using Report = std::function<void(const AgentMessage& message)>;
  struct Target {
    int rank = 0;
    pid_t pid = 0;
    const ProgressPage* page = nullptr;  ///< read at once
    std::string path;                    ///< PATH of the rank, where tools are looked for
  };

  /// Called before the first of several tools looks into ranks, and when all are done.
  using OnWork = std::function<void(Judgement judgement)>;

  /// `loop` must outlive this; `report` is called from within its handlers, and from take().
  RankStacks(EventLoop& loop, std::string host, Report report, OnWork on_work)
      : loop_(loop), host_(std::move(host)), report_(std::move(report)), on_work_(std::move(on_work)) {}
  RankStacks(const RankStacks&) = delete;
  RankStacks& operator=(const RankStacks&) = delete;
  ~RankStacks();

  /// Reports StacksTaken with `id` when all have answered, or kStackPatience is over: a process that nothing
  /// interrupts keeps nobody waiting.
  void take(const std::string& id, const std::vector<Target>& targets, const EnvMap& environment);

 private:
  struct Taking {
    StacksTaken taken;
    std::vector<std::unique_ptr<ToolQuery>> queries;
    std::size_t awaited = 0;
    EventLoop::TimerId deadline = 0;
  };

  void on_answer(std::list<Taking>::iterator taking, const ToolAnswer& answer);
  void finish(std::list<Taking>::iterator taking);

  EventLoop& loop_;
  std::string host_;
  Report report_;
  OnWork on_work_;
  std::list<Taking> takings_;
};

}  // namespace ddp::agent
