#include "cli/commands/top/top_actions.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string TopActions::follow_logs(const TopOrder& order) const {
  std::vector<std::string> words{"logs", order.run_id, "--follow", "--tail", "100"};
  if (order.rank) words.insert(words.end(), {"--rank", std::to_string(*order.rank)});
  const auto ran = run_on_terminal(argv_of(std::move(words)), context_.environment);
  if (!ran) return ran.error().message;
  return {};
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
