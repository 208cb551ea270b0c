#include "cli/output/run/plan_text.hpp"

#include <fmt/format.h>

#include "cli/output/count_text.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestCommand = 200;

std::string count(int number, std::string_view noun) {
  return render_count(static_cast<std::size_t>(number), noun);
}

}  // namespace

std::string render_command(const LaunchPlan& plan) {
  std::string text;
  for (const auto& word : plan.argv) {
    if (text.size() + word.size() > kLongestCommand) return text + " …";
    text += (text.empty() ? "" : " ") + quote_on_one_line(word);
  }
  return text;
}

std::string render_resources(const LaunchPlan& plan) {
  const std::string gpus = plan.gpus_per_node > 0 ? " and " + count(plan.gpus_per_node, "GPU") : "";
  return fmt::format("{} with {}{}{}, {} per rank", count(plan.nodes, "node"),
                     count(plan.tasks_per_node, "rank"), gpus, plan.nodes > 1 ? " each" : "",
                     count(plan.cpus_per_task, "CPU"));
}

}  // namespace ddp::cli
