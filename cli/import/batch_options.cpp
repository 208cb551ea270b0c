#include "cli/import/batch_options.hpp"

#include <algorithm>
#include <array>

#include "cli/import/other_option_names.hpp"
#include "cli/import/secret_words.hpp"
#include "cli/import/symbolic_text.hpp"

namespace ddp::cli {
namespace {

using M = OptionMeaning;

constexpr std::string_view kLogsOfRanks = "`ddpsubmit logs` shows stdout and stderr of all ranks";
constexpr std::string_view kFailureEndsAll = "a rank that fails ends the others";
constexpr std::string_view kOneCluster = "submit on a host of that cluster, and remove the option";
constexpr std::string_view kGpusPerNode = "ask for GPUs per node: --gpus-per-node=N";
constexpr std::string_view kOrder = "ddpsubmit numbers the ranks node by node; remove the option";

constexpr BatchOption job_key(std::string_view name, char letter, std::string_view key) {
  return {name, letter, OptionValue::required, M::job_key, M::job_key, key};
}

constexpr BatchOption both(std::string_view name, char letter, M meaning,
                           OptionValue value = OptionValue::required) {
  return {name, letter, value, meaning, meaning, {}};
}

constexpr BatchOption of_job(std::string_view name, char letter = 0,
                             OptionValue value = OptionValue::required) {
  return {name, letter, value, M::job_option, M::job_option, {}};
}

constexpr BatchOption free(std::string_view name, char letter = 0,
                           OptionValue value = OptionValue::required) {
  return {name, letter, value, M::job_option, M::step_option, {}};
}

constexpr BatchOption idle(std::string_view name, char letter, OptionValue value, std::string_view why) {
  return {name, letter, value, M::not_needed, M::not_needed, why};
}

constexpr BatchOption refused(std::string_view name, char letter, OptionValue value,
                              std::string_view advice) {
  return {name, letter, value, M::refused, M::refused, advice};
}

constexpr std::array kOptions = {
    job_key("account", 'A', "account"),
    BatchOption{"array", 'a', OptionValue::required, M::array, M::refused, "srun has no arrays"},
    of_job("begin", 'b'),
    both("chdir", 'D', M::folder),
    refused("clusters", 'M', OptionValue::required, kOneCluster),
    job_key("comment", 0, "comment"),
    job_key("constraint", 'C', "constraint"),
    of_job("contiguous", 0, OptionValue::none),
    of_job("core-spec", 'S'),
    both("cpus-per-task", 'c', M::cpus_per_task),
    job_key("dependency", 'd', "dependency"),
    refused("distribution", 'm', OptionValue::required, kOrder),
    idle("error", 'e', OptionValue::required,
         "`ddpsubmit logs --stderr` shows the stderr of all ranks; that of rank 0 is "
         "logs/attempt-N/rank-0.err in the "
         "run folder"),
    free("exact", 0, OptionValue::none),
    job_key("exclude", 'x', "exclude"),
    BatchOption{"exclusive", 0, OptionValue::optional, M::exclusive, M::step_option, {}},
    both("export", 0, M::environment),
    free("extra-node-info", 'B'),
    both("gpus", 'G', M::gpus),
    both("gpus-per-node", 0, M::gpus_per_node),
    refused("gpus-per-socket", 0, OptionValue::required, kGpusPerNode),
    both("gpus-per-task", 0, M::gpus_per_task),
    both("gres", 0, M::gres),
    refused("het-group", 0, OptionValue::required,
            "the ranks run in one step; write one file per part of the job"),
    of_job("hold", 'H', OptionValue::none),
    refused("input", 'i', OptionValue::required, "ranks have no stdin; let the program read the file"),
    BatchOption{"job-name", 'J', OptionValue::required, M::run_name, M::not_needed, "the run has one name"},
    idle("jobid", 0, OptionValue::required, "the ranks run in the job of the run"),
    idle("kill-on-bad-exit", 'K', OptionValue::optional, kFailureEndsAll),
    idle("label", 'l', OptionValue::none, "`ddpsubmit logs` names the rank of each line"),
    of_job("licenses", 'L'),
    both("mail-type", 0, M::mail_type),
    job_key("mail-user", 0, "mail_user"),
    both("mem", 0, M::memory),
    both("mem-per-cpu", 0, M::memory_per_cpu),
    both("mem-per-gpu", 0, M::memory_per_gpu),
    job_key("mpi", 0, "mpi"),
    refused("multi-prog", 0, OptionValue::none, "all ranks run one command; let a script choose by RANK"),
    free("nice", 0, OptionValue::optional),
    idle("no-kill", 'k', OptionValue::optional, "ddpsubmit decides what happens when a node is lost"),
    idle("no-requeue", 0, OptionValue::none, "this is the default of fault_tolerance.requeue"),
    refused("nodefile", 'F', OptionValue::required, "name the nodes: --nodelist=a,b"),
    job_key("nodelist", 'w', "nodelist"),
    both("nodes", 'N', M::nodes),
    both("ntasks", 'n', M::tasks),
    refused("ntasks-per-gpu", 0, OptionValue::required,
            "give the number of tasks per node: --ntasks-per-node=N"),
    both("ntasks-per-node", 0, M::tasks_per_node),
    idle("open-mode", 0, OptionValue::required, "ddpsubmit keeps the output of each attempt"),
    BatchOption{"output", 'o', OptionValue::required, M::output, M::not_needed, kLogsOfRanks},
    free("overcommit", 'O', OptionValue::none),
    free("overlap", 0, OptionValue::none),
    of_job("oversubscribe", 's', OptionValue::none),
    idle("parsable", 0, OptionValue::none, "ddpsubmit calls sbatch itself"),
    job_key("partition", 'p', "partition"),
    of_job("propagate", 0, OptionValue::optional),
    refused("pty", 0, OptionValue::none, "a run has no terminal; write the command that the shell would run"),
    job_key("qos", 'q', "qos"),
    idle("quiet", 'Q', OptionValue::none, "ddpsubmit reads what sbatch and srun print"),
    of_job("reboot", 0, OptionValue::none),
    refused("relative", 'r', OptionValue::required, kOrder),
    both("requeue", 0, M::requeue, OptionValue::none),
    job_key("reservation", 0, "reservation"),
    job_key("segment", 0, "segment"),
    both("signal", 0, M::signal),
    of_job("spread-job", 0, OptionValue::none),
    both("tasks-per-node", 0, M::tasks_per_node),
    free("threads", 'T'),
    both("time", 't', M::time),
    idle("unbuffered", 'u', OptionValue::none, "the output of ranks appears at once"),
    of_job("use-min-nodes", 0, OptionValue::none),
    free("verbose", 'v', OptionValue::none),
    BatchOption{"wait", 'W', OptionValue::optional, M::not_needed, M::not_needed,
                "`ddpsubmit run --follow` waits; a rank that fails ends the others"},
    refused("wrap", 0, OptionValue::required, "write the command into the script"),
};

const BatchOption* find_option(std::string_view name) {
  const auto* found = std::ranges::find(kOptions, name, &BatchOption::name);
  return found == kOptions.end() ? nullptr : found;
}

const BatchOption* find_letter(char letter) {
  const auto* found = std::ranges::find(kOptions, letter, &BatchOption::letter);
  return letter == 0 || found == kOptions.end() ? nullptr : found;
}

class OptionReader {
 public:
  OptionReader(std::span<const PlacedWord> words, BatchProgram program, Errors& errors)
      : words_(words), program_(program), errors_(errors) {}

  OptionWords read() {
    while (at_ < words_.size()) {
      const auto& word = words_[at_];
      if (!word.text.starts_with('-') || word.text.size() < 2) break;
      ++at_;
      if (word.text == "--") break;
      if (word.text.starts_with("--")) {
        take_long(word);
      } else {
        take_letters(word);
      }
    }
    found_.used = at_;
    return std::move(found_);
  }

 private:
  [[nodiscard]] OptionMeaning meaning_of(const BatchOption* row) const {
    const bool is_sbatch = program_ == BatchProgram::sbatch;
    if (row == nullptr) return is_sbatch ? M::job_option : M::step_option;
    return is_sbatch ? row->in_sbatch : row->in_srun;
  }

  void add(const BatchOption* row, std::string name, std::string value, const PlacedWord& word) {
    found_.options.push_back(
        {std::move(name), std::move(value), meaning_of(row), row ? row->text : "", word.place});
  }

  /// The next word, which is the value of the option before it.
  std::string take_value(const PlacedWord& option) {
    if (at_ < words_.size()) return words_[at_++].text;
    errors_.push_back(
        config_error(option.place, "the option '" + option.text + "' has no value", "write one"));
    return {};
  }

  void take_long(const PlacedWord& word) {
    const auto text = std::string_view(word.text).substr(2);
    const auto sign = text.find('=');
    const auto name = whole_name(std::string(text.substr(0, sign)), word);
    const auto* row = find_option(name);
    if (sign != text.npos) return add(row, name, std::string(text.substr(sign + 1)), word);
    const auto use = row == nullptr ? value_of_other_option(name) : std::optional(row->value);
    if (!use) check_value_is_clear(name, word);
    add(row, name, use == OptionValue::required ? take_value(word) : "", word);
  }

  /// As sbatch and srun do, takes the beginning of a name that only one option has.
  std::string whole_name(const std::string& name, const PlacedWord& word) {
    if (find_option(name) != nullptr || value_of_other_option(name)) return name;
    auto meant = other_options_that_begin(name);
    for (const auto& row : kOptions)
      if (row.name.starts_with(name)) meant.push_back(row.name);
    if (meant.size() == 1) return std::string(meant[0]);
    if (meant.empty() || name.empty()) return name;
    errors_.push_back(config_error(word.place, "'--" + name + "' is the beginning of several options",
                                   "write the whole name, such as --" + std::string(meant[0])));
    return name;
  }

  /// The next word of an option that is not known may be its value, or the program.
  void check_value_is_clear(const std::string& name, const PlacedWord& word) {
    if (at_ == words_.size() || words_[at_].text.starts_with('-')) return;
    errors_.push_back(config_error(
        word.place, "'--" + name + "' is not a known option: a value may follow, or not",
        "write --" + name + "=VALUE; if it takes none, remove it, and write it into the YAML by hand"));
  }

  /// "-N2", "-N 2", "-N=2", "-ul".
  void take_letters(const PlacedWord& word) {
    auto text = std::string_view(word.text).substr(1);
    while (!text.empty()) {
      const auto* row = find_letter(text.front());
      if (row == nullptr) {
        errors_.push_back(config_error(word.place,
                                       "'-" + std::string(1, text.front()) + "' is not a known option",
                                       "write its long name"));
        return;
      }
      text.remove_prefix(1);
      if (row->value == OptionValue::none) {
        add(row, std::string(row->name), "", word);
        continue;
      }
      if (text.starts_with('=')) text.remove_prefix(1);
      const bool is_separate = text.empty() && row->value == OptionValue::required;
      add(row, std::string(row->name), is_separate ? take_value(word) : std::string(text), word);
      return;
    }
  }

  std::span<const PlacedWord> words_;
  BatchProgram program_;
  Errors& errors_;
  OptionWords found_;
  std::size_t at_ = 0;
};

}  // namespace

std::span<const BatchOption> batch_options() {
  return kOptions;
}

std::string GivenOption::written() const {
  const std::function<std::string(const Symbol&)> name_it = [](const Symbol& symbol) {
    return symbol.kind == SymbolKind::variable ? "${" + symbol.text + "}" : symbol.text;
  };
  const auto known = replace_symbols(value, name_it);
  return "--" + name +
         (value.empty() ? "" : "=" + (meaning == M::environment ? hide_secrets_of_list(known) : known));
}

OptionWords read_options(std::span<const PlacedWord> words, BatchProgram program, Errors& errors) {
  return OptionReader(words, program, errors).read();
}

}  // namespace ddp::cli
