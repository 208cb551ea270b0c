#include "cli/import/job_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/import/short_text.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

using M = OptionMeaning;

/// Of 0, to sbatch and in a configuration.
constexpr std::string_view kAllMemory = ", all memory of each node";

/// "a100:4", "gpu:4" or "4".
struct TypedCount {
  std::string type;
  int count = 1;
};

std::optional<int> small_number(std::string_view text) {
  const auto number = parse_whole_number(text);
  return number && *number <= 1'000'000 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<TypedCount> parse_typed_count(std::string_view text) {
  const auto colon = text.rfind(':');
  if (const auto count = small_number(colon == text.npos ? text : text.substr(colon + 1)))
    return TypedCount{colon == text.npos ? "" : std::string(text.substr(0, colon)), *count};
  if (colon != text.npos) return std::nullopt;
  return TypedCount{std::string(text), 1};
}

class LayoutReader {
 public:
  LayoutReader(const OptionsByMeaning& sbatch, const OptionsByMeaning& srun, Errors& errors)
      : sbatch_(sbatch), srun_(srun), errors_(errors) {}

  JobLayout read() {
    read_nodes_and_tasks();
    if (const auto* cpus = find(M::cpus_per_task)) layout_.cpus_per_task = number_of(*cpus);
    read_gpus();
    read_memory();
    return std::move(layout_);
  }

 private:
  const GivenOption* find(M meaning) const {
    for (const auto* options : {&srun_, &sbatch_})
      if (const auto found = options->find(meaning); found != options->end()) return &found->second;
    return nullptr;
  }

  void report(const GivenOption& option, std::string message, std::string advice) {
    errors_.push_back(config_error(option.place, std::move(message), std::move(advice)));
  }

  LaidOut<int> number_of(const GivenOption& option) {
    const auto number = small_number(option.value);
    if (!number || *number == 0)
      report(option, "the number of '" + option.written() + "' is not known", "write a number");
    return {number.value_or(1), comment_on_option(option)};
  }

  void read_nodes_and_tasks() {
    const auto* nodes = find(M::nodes);
    const auto* tasks = find(M::tasks);
    const auto* per_node = find(M::tasks_per_node);
    if (nodes) layout_.nodes = number_of(*nodes);
    if (per_node) layout_.tasks_per_node = number_of(*per_node);
    check_part_of_nodes();
    if (!tasks) return;
    const auto total = number_of(*tasks);
    if (!nodes && per_node) return divide_into_nodes(*tasks, total.value);
    if (!nodes && total.value > 1) {
      return report(*tasks, "the script does not say on how many nodes its tasks run",
                    "add #SBATCH --nodes=N");
    }
    if (total.value % layout_.nodes.value != 0)
      return report(*tasks, "the tasks cannot be divided evenly among the nodes", "give --ntasks-per-node=N");
    layout_.tasks_per_node = {total.value / layout_.nodes.value, comment_on_option(*tasks)};
  }

  void divide_into_nodes(const GivenOption& tasks, int total) {
    if (total % layout_.tasks_per_node.value != 0)
      return report(tasks, "the tasks cannot be divided evenly among the nodes", "give --nodes=N");
    layout_.nodes = {total / layout_.tasks_per_node.value, comment_on_option(tasks)};
  }

  /// A step on some of the nodes would leave the others idle.
  void check_part_of_nodes() {
    const auto of_job = sbatch_.find(M::nodes);
    const auto of_step = srun_.find(M::nodes);
    if (of_job == sbatch_.end() || of_step == srun_.end() || of_job->second.value == of_step->second.value)
      return;
    report(of_step->second, "srun and sbatch name different numbers of nodes",
           "ask for the nodes that srun uses: #SBATCH --nodes=" + of_step->second.value);
  }

  void set_gpus(const GivenOption& option, const TypedCount& count, int per_node) {
    layout_.gpus_per_node = LaidOut<int>{per_node, comment_on_option(option)};
    if (!count.type.empty()) layout_.gpu_type = LaidOut<std::string>{count.type, comment_on_option(option)};
  }

  void read_gpus() {
    if (const auto* gres = find(M::gres)) read_gres(*gres);
    if (const auto* option = find(M::gpus_per_node)) {
      const auto count = count_of(*option);
      set_gpus(*option, count, count.count);
    } else if (const auto* total = find(M::gpus)) {
      const auto count = count_of(*total);
      if (count.count % layout_.nodes.value != 0)
        report(*total, "the GPUs cannot be divided evenly among the nodes", "give --gpus-per-node=N");
      set_gpus(*total, count, count.count / layout_.nodes.value);
    } else if (const auto* per_task = find(M::gpus_per_task)) {
      const auto count = count_of(*per_task);
      set_gpus(*per_task, count, count.count * layout_.tasks_per_node.value);
    }
  }

  TypedCount count_of(const GivenOption& option) {
    const auto count = parse_typed_count(option.value);
    if (!count) report(option, "the number of '" + option.written() + "' is not known", "write a number");
    return count.value_or(TypedCount{});
  }

  /// "gpu:a100:4" alone has keys of its own.
  void read_gres(const GivenOption& option) {
    const std::string_view text = option.value;
    if (text.find(',') != text.npos || !(text == "gpu" || text.starts_with("gpu:"))) {
      layout_.gres = LaidOut<std::string>{option.value, comment_on_option(option)};
      return;
    }
    const auto count = text == "gpu" ? TypedCount{} : parse_typed_count(text.substr(4));
    if (!count)
      return report(option, "the number of GPUs in '" + option.written() + "' is not known",
                    "write a number: --gres=gpu:4");
    set_gpus(option, *count, count->count);
  }

  void read_memory() {
    if (const auto* option = find(M::memory)) return set_memory(*option, 1, "");
    if (const auto* option = find(M::memory_per_cpu)) {
      const int cpus =
          (layout_.cpus_per_task ? layout_.cpus_per_task->value : 1) * layout_.tasks_per_node.value;
      return set_memory(*option, cpus, fmt::format(", for {} CPUs per node", cpus));
    }
    if (const auto* option = find(M::memory_per_gpu)) {
      const int gpus = layout_.gpus_per_node ? layout_.gpus_per_node->value : 1;
      set_memory(*option, gpus, fmt::format(", for {} GPUs per node", gpus));
    }
  }

  void set_memory(const GivenOption& option, int times, const std::string& remark) {
    const auto size = size_of_slurm(option.value, times);
    if (!size) return report(option, "'" + option.value + "' is not a size", "write one, such as 64G");
    layout_.memory = LaidOut<std::string>{
        *size, comment_on_option(option) + (size->starts_with("0") ? std::string(kAllMemory) : remark)};
  }

  const OptionsByMeaning& sbatch_;
  const OptionsByMeaning& srun_;
  Errors& errors_;
  JobLayout layout_;
};

}  // namespace

OptionsByMeaning by_meaning(const std::vector<GivenOption>& options) {
  OptionsByMeaning sorted;
  for (const auto& option : options) {
    const auto [at, is_new] = sorted.try_emplace(option.meaning, option);
    if (is_new) continue;
    const bool adds_up = option.meaning == M::mail_type;
    const auto before = at->second.value;
    at->second = option;
    if (adds_up) at->second.value = before + "," + option.value;
  }
  return sorted;
}

JobLayout lay_out_job(const OptionsByMeaning& sbatch, const OptionsByMeaning& srun, Errors& errors) {
  return LayoutReader(sbatch, srun, errors).read();
}

std::string comment_on_option(const GivenOption& option) {
  return fmt::format("line {}: {}", option.place.line, short_text(option.written()));
}

std::optional<std::string> size_of_slurm(std::string_view text, std::int64_t times) {
  struct Unit {
    char letter;
    std::string_view name;
  };
  static constexpr std::array kUnits = {Unit{'K', "KiB"}, Unit{'M', "MiB"}, Unit{'G', "GiB"},
                                        Unit{'T', "TiB"}};
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_whole_number(text.substr(0, digits));
  auto unit = text.substr(digits);
  if (unit.size() == 2 && (unit[1] == 'B' || unit[1] == 'b')) unit.remove_suffix(1);
  const char letter =
      unit.empty() ? 'M' : static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
  const auto* found = std::ranges::find(kUnits, letter, &Unit::letter);
  if (!number || unit.size() > 1 || found == kUnits.end()) return std::nullopt;
  return fmt::format("{}{}", *number * times, found->name);
}

}  // namespace ddp::cli
