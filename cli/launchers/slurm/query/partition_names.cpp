#include "cli/launchers/slurm/query/partition_names.hpp"

#include <set>

namespace ddp::cli {

std::vector<std::string> parse_partition_names(std::string_view answer) {
  std::set<std::string> names;
  while (!answer.empty()) {
    const auto end = std::min(answer.find('\n'), answer.size());
    if (auto name = trim_end(std::string(answer.substr(0, end))); !name.empty())
      names.insert(std::move(name));
    answer.remove_prefix(std::min(end + 1, answer.size()));
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ask_partition_names(const SlurmTools& tools) {
  const auto answer = tools.ask_briefly({"sinfo", "--noheader", "--format=%R"});
  if (!answer || !answer->succeeded()) return {};
  return parse_partition_names(answer->out);
}

}  // namespace ddp::cli
