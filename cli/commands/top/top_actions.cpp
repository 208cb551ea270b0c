#include "cli/commands/top/top_actions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/top/key_wait.hpp"
#include "jobenv/record/files/file_tail.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostSaid = 20;  // lines

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<std::string> TopActions::argv_of(std::vector<std::string> words) const {
  words.insert(words.begin(), (context_.own_folder / "ddpsubmit").string());
  return words;
}

TopActions::LogsEnd TopActions::follow_logs(const TopOrder& order) const {
  std::vector<std::string> words{"logs", order.run_id, "--follow", "--tail", "15"};
  if (order.rank) words.insert(words.end(), {"--rank", std::to_string(*order.rank)});
  context_.reporter.item({{}, {}, "the logs of " + order.run_id + "; q or Esc goes back\n"});
  context_.reporter.flush();
  bool left = false;
  const auto wants_end = [&left](int end) {
    std::optional<char> key = ' ';
    while (key && *key != 'q' && *key != kEscape) key = wait_for_key(end);
    return left = key.has_value();
  };
  const auto ran = run_on_terminal(argv_of(std::move(words)), context_.environment, wants_end);
  return {ran ? std::string() : ran.error().message, left};
}

std::string TopActions::start(const TopOrder& order) {
  const bool cancels = order.kind == TopOrder::Kind::cancel;
  auto program = QuietProgram::start(
      cancels ? argv_of({"cancel", order.run_id}) : argv_of({"rerun", order.run_id, "--detach"}),
      context_.environment);
  if (!program) return program.error().message;
  running_.push_back({order, std::move(*program)});
  return cancels ? fmt::format("cancelling {}: a training writes a checkpoint first", order.run_id)
                 : fmt::format("starting {} again", order.run_id);
}

std::optional<TopActions::End> TopActions::look() {
  for (auto action = running_.begin(); action != running_.end(); ++action) {
    auto end = action->program.look();
    if (!end) continue;
    const auto order = std::move(action->order);
    running_.erase(action);
    const bool cancels = order.kind == TopOrder::Kind::cancel;
    if (end->succeeded)
      return End{order.run_id + (cancels ? " is being cancelled" : " is started again"), {}};
    return End{fmt::format("{} of {} failed", cancels ? "cancel" : "rerun", order.run_id),
               lines_of_text(last_lines(std::move(end->said), kMostSaid))};
  }
  return std::nullopt;
}

}  // namespace ddp::cli
