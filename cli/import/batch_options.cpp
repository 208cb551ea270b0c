#include "cli/import/batch_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/import/secret_words.hpp"
#include "cli/import/symbolic_text.hpp"
#include "cli/launchers/slurm/keys/pyxis_option_names.hpp"
#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/srun_option_names.hpp"

namespace ddp::cli {
namespace {

using M = OptionMeaning;

constexpr std::string_view kLogsOfRanks = "`ddpsubmit logs` shows stdout and stderr of all ranks";
constexpr std::string_view kFailureEndsAll = "a rank that fails ends the others";
constexpr std::string_view kOneCluster = "submit on a host of that cluster, and remove the option";
constexpr std::string_view kGpusPerNode = "ask for GPUs per node: --gpus-per-node=N";
constexpr std::string_view kOrder = "ddpsubmit numbers the ranks node by node; remove the option";

constexpr BatchOption both(std::string_view name, M meaning, std::string_view text = {}) {
  return {name, meaning, meaning, text};
}

constexpr BatchOption job_key(std::string_view name, std::string_view key) {
  return both(name, M::job_key, key);
}

constexpr BatchOption of_job(std::string_view name) {
  return both(name, M::job_option);
}

constexpr BatchOption free(std::string_view name) {
  return {name, M::job_option, M::step_option};
}

constexpr BatchOption idle(std::string_view name, std::string_view why) {
  return both(name, M::not_needed, why);
}

constexpr BatchOption refused(std::string_view name, std::string_view advice) {
  return both(name, M::refused, advice);
}

constexpr std::array kOptions = {
    job_key("account", "account"),
    BatchOption{"array", M::array, M::refused, "srun has no arrays"},
    of_job("begin"),
    both("chdir", M::folder),
    refused("cluster", kOneCluster),
    refused("clusters", kOneCluster),
    job_key("comment", "comment"),
    job_key("constraint", "constraint"),
    of_job("contiguous"),
    of_job("core-spec"),
    both("cpus-per-task", M::cpus_per_task),
    job_key("dependency", "dependency"),
    refused("distribution", kOrder),
    idle("error",
         "`ddpsubmit logs --stderr` shows the stderr of all ranks; that of rank 0 is "
         "logs/attempt-N/rank-0.err in the "
         "run folder"),
    free("exact"),
    job_key("exclude", "exclude"),
    BatchOption{"exclusive", M::exclusive, M::step_option, {}},
    both("export", M::environment),
    free("extra-node-info"),
    both("gpus", M::gpus),
    both("gpus-per-node", M::gpus_per_node),
    refused("gpus-per-socket", kGpusPerNode),
    both("gpus-per-task", M::gpus_per_task),
    both("gres", M::gres),
    refused("het-group", "the ranks run in one step; write one file per part of the job"),
    of_job("hold"),
    refused("input", "ranks have no stdin; let the program read the file"),
    BatchOption{"job-name", M::run_name, M::not_needed, "the run has one name"},
    idle("jobid", "the ranks run in the job of the run"),
    idle("kill-on-bad-exit", kFailureEndsAll),
    idle("label", "`ddpsubmit logs` names the rank of each line"),
    of_job("licenses"),
    both("mail-type", M::mail_type),
    job_key("mail-user", "mail_user"),
    both("mem", M::memory),
    both("mem-per-cpu", M::memory_per_cpu),
    both("mem-per-gpu", M::memory_per_gpu),
    job_key("mpi", "mpi"),
    refused("multi-prog", "all ranks run one command; let a script choose by RANK"),
    free("nice"),
    idle("no-kill", "ddpsubmit decides what happens when a node is lost"),
    idle("no-requeue", "this is the default of fault_tolerance.requeue"),
    refused("nodefile", "name the nodes: --nodelist=a,b"),
    job_key("nodelist", "nodelist"),
    both("nodes", M::nodes),
    both("ntasks", M::tasks),
    refused("ntasks-per-gpu", "give the number of tasks per node: --ntasks-per-node=N"),
    both("ntasks-per-node", M::tasks_per_node),
    idle("open-mode", "ddpsubmit keeps the output of each attempt"),
    BatchOption{"output", M::output, M::not_needed, kLogsOfRanks},
    free("overcommit"),
    free("overlap"),
    of_job("oversubscribe"),
    idle("parsable", "ddpsubmit calls sbatch itself"),
    job_key("partition", "partition"),
    of_job("propagate"),
    refused("pty", "a run has no terminal; write the command that the shell would run"),
    job_key("qos", "qos"),
    idle("quiet", "ddpsubmit reads what sbatch and srun print"),
    of_job("reboot"),
    refused("relative", kOrder),
    both("requeue", M::requeue),
    job_key("reservation", "reservation"),
    job_key("segment", "segment"),
    both("signal", M::signal),
    of_job("spread-job"),
    both("tasks-per-node", M::tasks_per_node),
    free("threads"),
    both("time", M::time),
    idle("unbuffered", "the output of ranks appears at once"),
    of_job("use-min-nodes"),
    free("verbose"),
    BatchOption{"wait", M::not_needed, M::not_needed,
                "`ddpsubmit run --follow` waits; a rank that fails ends the others"},
    refused("wrap", "write the command into the script"),
};

const BatchOption* find_option(std::string_view name) {
  const auto* found = std::ranges::find(kOptions, name, &BatchOption::name);
  return found == kOptions.end() ? nullptr : found;
}

class OptionReader {
 public:
  OptionReader(std::span<const PlacedWord> words, BatchProgram program, Errors& errors)
      : words_(words),
        program_(program),
        known_(program == BatchProgram::sbatch ? sbatch_options : srun_options),
        errors_(errors) {}

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

  void add(std::string name, std::string value, const PlacedWord& word) {
    const auto* row = find_option(name);
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
    if (sign != text.npos) return add(name, std::string(text.substr(sign + 1)), word);
    const auto* known = find_known(name);
    const auto use = known == nullptr ? ValueUse::unknown : known->value;
    if (use == ValueUse::unknown) check_value_is_clear(name, word);
    add(name, use == ValueUse::required ? take_value(word) : "", word);
  }

  [[nodiscard]] const OptionName* find_known(std::string_view name) const {
    const auto* option = find_option_name(name, known_);
    return option == nullptr ? find_option_name(name, pyxis_options) : option;
  }

  /// As sbatch and srun do, takes the beginning of a name that only one option has.
  std::string whole_name(const std::string& name, const PlacedWord& word) {
    if (find_known(name) != nullptr) return name;
    auto meant = option_names_that_begin(name, known_);
    std::ranges::copy(option_names_that_begin(name, pyxis_options), std::back_inserter(meant));
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
      const auto* option = find_option_letter(text.front(), known_);
      if (option == nullptr) {
        errors_.push_back(config_error(word.place,
                                       "'-" + std::string(1, text.front()) + "' is not a known option",
                                       "write its long name"));
        return;
      }
      text.remove_prefix(1);
      if (option->value == ValueUse::none) {
        add(std::string(option->name), "", word);
        continue;
      }
      if (text.starts_with('=')) text.remove_prefix(1);
      const bool is_separate = text.empty() && option->value == ValueUse::required;
      add(std::string(option->name), is_separate ? take_value(word) : std::string(text), word);
      return;
    }
  }

  std::span<const PlacedWord> words_;
  BatchProgram program_;
  const ProgramOptions& known_;
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
