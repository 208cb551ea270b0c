#pragma once

#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// Runs programs with another runner, and kills them when a descriptor becomes readable.
class StoppableRunner final : public CommandRunner {
 public:
  /// Both outlive this object.
  StoppableRunner(CommandRunner& runner, int stop_descriptor) : runner_(runner), stop_(stop_descriptor) {}

  [[nodiscard]] Expected<CommandResult> run(const CommandRequest& request) override {
    CommandRequest stoppable = request;
    stoppable.stop_descriptor = stop_;
    return runner_.run(stoppable);
  }
  [[nodiscard]] Expected<int> start_daemon(const DaemonRequest& request) override {
    return runner_.start_daemon(request);
  }
  void reap(int pid) override { runner_.reap(pid); }

 private:
  CommandRunner& runner_;
  int stop_;
};

}  // namespace ddp::cli
