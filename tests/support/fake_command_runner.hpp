#pragma once

#include <unistd.h>

#include <deque>
#include <string>
#include <vector>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// Starts nothing: remembers what it is asked to start, and answers from a list.
class FakeCommandRunner final : public CommandRunner {
 public:
  std::vector<CommandRequest> requests;
  std::vector<DaemonRequest> daemons;
  std::deque<CommandResult>
      answers;  ///< of run, the first one next; without one the program exits 0 silently
  int daemon_pid = 4242;
  std::string word_of_daemon;  ///< what one writes to the last descriptor that it inherits

  /// An answer of a program that exits.
  void answer(int code, std::string out, std::string err = {}) {
    answers.push_back(
        {.end = CommandResult::End::exited, .code = code, .out = std::move(out), .err = std::move(err)});
  }

  [[nodiscard]] Expected<CommandResult> run(const CommandRequest& request) override {
    requests.push_back(request);
    if (answers.empty()) return CommandResult{};
    auto result = std::move(answers.front());
    answers.pop_front();
    if (request.on_error_line && !result.err.empty())
      request.on_error_line(std::string_view(result.err).substr(0, result.err.find('\n')));
    return result;
  }
  [[nodiscard]] Expected<int> start_daemon(const DaemonRequest& request) override {
    daemons.push_back(request);
    const auto& inherited = request.inherited_descriptors;
    if (!word_of_daemon.empty() && !inherited.empty())
      (void)!write(inherited.back(), word_of_daemon.data(), word_of_daemon.size());
    return daemon_pid;
  }
  void reap(int) override {}
};

}  // namespace ddp::cli
