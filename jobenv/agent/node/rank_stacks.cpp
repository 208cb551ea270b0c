#include "jobenv/agent/node/rank_stacks.hpp"

#include <atomic>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/object_form.hpp"

namespace ddp::agent {
namespace {

/// Of the agent's patience, for a process to start and to be heard.
constexpr std::chrono::milliseconds kAnswerTime{700};
constexpr auto kAnyOrder = std::memory_order_relaxed;

std::vector<std::string> render_stack_argv(const RankStacks::Target& target, const char* tools) {
  return {"/proc/self/exe", "stack",
          "--rank",         std::to_string(target.rank),
          "--pid",          std::to_string(target.pid),
          "--milliseconds", std::to_string((kStackPatience - kAnswerTime).count()),
          "--signal",       std::to_string(target.page->stack_signal.load(kAnyOrder)),
          "--descriptor",   std::to_string(target.page->stack_descriptor.load(kAnyOrder)),
          "--tools",        tools};
}

}  // namespace

RankStacks::~RankStacks() {
  for (const Taking& taking : takings_) loop_.cancel(taking.deadline);
}

void RankStacks::take(const std::string& id, const std::vector<Target>& targets, const EnvMap& environment) {
  if (targets.empty()) return report_(StacksTaken{id, {}});
  if (takings_.empty()) on_work_(Judgement::held);
  const char* const tools = is_of_hang(id) ? "quick" : "all";
  const auto taking = takings_.insert(takings_.end(), Taking{{id, {}}, {}, targets.size()});
  taking->deadline = loop_.after(kStackPatience, [this, taking] { finish(taking); });
  for (const Target& target : targets) {
    EnvMap with_path = environment;
    with_path.set("PATH", target.path);
    taking->queries.push_back(
        std::make_unique<ToolQuery>(loop_, render_stack_argv(target, tools), with_path,
                                    [this, taking](const ToolAnswer& answer) { on_answer(taking, answer); }));
  }
}

void RankStacks::on_answer(std::list<Taking>::iterator taking, const ToolAnswer& answer) {
  auto stack = ObjectForm<RankStack>{"stack"}.parse(parse_json(answer.text));
  if (stack) {
    stack->host = host_;
    taking->taken.stacks.push_back(std::move(*stack));
  }
  if (--taking->awaited == 0) finish(taking);
}

void RankStacks::finish(std::list<Taking>::iterator taking) {
  loop_.cancel(taking->deadline);
  const StacksTaken taken = std::move(taking->taken);
  takings_.erase(taking);
  if (takings_.empty()) on_work_(Judgement::open);
  report_(taken);
}

}  // namespace ddp::agent
