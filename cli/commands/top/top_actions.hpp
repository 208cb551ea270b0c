#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/system/child_program.hpp"
#include "cli/top/model/top_state.hpp"

namespace ddp::cli {

/// Does what the user orders, by running this very program with the verb for it.
class TopActions {
 public:
  explicit TopActions(const Context& context) : context_(context) {}

  struct LogsEnd {
    std::string problem;  ///< why there were none; empty: there were
    bool left = false;    ///< by q or Esc, not by their end
  };
  /// On the terminal, which nobody else uses meanwhile.
  [[nodiscard]] LogsEnd follow_logs(const TopOrder& order) const;
  /// Begins a cancel or a rerun. What to say at once.
  [[nodiscard]] std::string start(const TopOrder& order);

  struct End {
    std::string message;
    std::vector<std::string> lines;  ///< what the verb has said, if it failed
  };
  /// That of an action that has ended since the last call.
  [[nodiscard]] std::optional<End> look();

 private:
  struct Running {
    TopOrder order;
    QuietProgram program;
  };

  [[nodiscard]] std::vector<std::string> argv_of(std::vector<std::string> words) const;

  const Context& context_;
  std::vector<Running> running_;
};

}  // namespace ddp::cli
