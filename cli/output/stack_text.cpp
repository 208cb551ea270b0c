#include "cli/output/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "ddp/jobenv/host_list.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::cli {
namespace {

struct Group {
  std::vector<int> ranks;
  std::vector<std::string> hosts;
  const RankStack* stack;
};

/// In the order in which they are shown.
std::vector<Group> group_stacks(const StackRecord& record) {
  std::map<std::tuple<std::string, std::string, std::vector<std::string>>, Group> by_place;
  for (const RankStack& stack : record.ranks) {
    Group& group = by_place[{stack.process, stack.source, stack.frames}];
    group.ranks.push_back(stack.rank);
    if (std::ranges::count(group.hosts, stack.host) == 0) group.hosts.push_back(stack.host);
    group.stack = &stack;
  }
  std::vector<Group> groups;
  for (auto& [place, group] : by_place) groups.push_back(std::move(group));
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return std::tuple(a.ranks.size(), a.ranks.front()) < std::tuple(b.ranks.size(), b.ranks.front());
  });
  return groups;
}

std::string render_source(const std::string& source) {
  return source == "kernel" ? "no tool could tell more: py-spy, eu-stack or gdb" : "by " + source;
}

std::string render_group(const Group& group) {
  const bool one = group.ranks.size() == 1;
  auto text =
      fmt::format("{} {} on {}: {} ({})\n", one ? "rank" : "ranks", render_index_list(group.ranks),
                  HostList(group.hosts).compress(), group.stack->process, render_source(group.stack->source));
  for (const auto& frame : group.stack->frames) text += "    " + frame + "\n";
  return text;
}

/// The function of CPython that runs a function of a program.
bool shows_interpreter(const RankStack& stack) {
  return std::ranges::any_of(stack.frames,
                             [](const std::string& frame) { return frame.starts_with("_PyEval_EvalFrame"); });
}

}  // namespace

std::string render_stacks(const StackRecord& record) {
  std::string text;
  for (const Group& group : group_stacks(record)) text += (text.empty() ? "" : "\n") + render_group(group);
  if (std::ranges::any_of(record.ranks, shows_interpreter))
    text +=
        "\nThese are calls of the Python interpreter. For those of the program, install py-spy, or import "
        "ddpsubmit in it.\n";
  const auto missing = static_cast<std::size_t>(record.world_size) - record.ranks.size();
  if (record.ranks.size() < static_cast<std::size_t>(record.world_size))
    text += fmt::format("{}{} of {} ranks gave no stack: {} ended, or {} host did not answer in time\n",
                        text.empty() ? "" : "\n", missing, record.world_size,
                        missing == 1 ? "it has" : "they have", missing == 1 ? "its" : "their");
  return text;
}

}  // namespace ddp::cli
