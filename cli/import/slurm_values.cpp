#include "cli/import/slurm_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/import/secret_words.hpp"
#include "cli/launchers/slurm/keys/sbatch_variables.hpp"
#include "cli/spec/field_writer.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/record/log_pattern.hpp"

namespace ddp::cli {
namespace {

using M = OptionMeaning;

constexpr std::size_t kLongestName = 64;
constexpr int kDefaultLead = 60;  // seconds, as for sbatch

/// A name of a run: letters, digits, '.', '_' and '-'.
std::string name_of_run(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; }, '-');
  const auto same_dash = [](char a, char b) { return a == '-' && b == '-'; };
  name.erase(std::ranges::unique(name, same_dash).begin(), name.end());  // one for each byte of "ß"
  const auto begin = std::ranges::find_if(name, [](unsigned char c) { return std::isalnum(c) != 0; });
  name.erase(name.begin(), begin);
  name.resize(std::min(name.size(), kLongestName));
  return name;
}

class OptionWriter {
 public:
  OptionWriter(const GivenOption& option, const OptionSource& source, ConfigDocument& document,
               Errors& errors)
      : option_(option),
        comment_(comment_on_option(option)),
        source_(source),
        document_(document),
        errors_(errors) {}

  void write() {
    switch (option_.meaning) {
      case M::job_key:
        return write_key();
      case M::job_option:
        return write_entry("slurm.options");
      case M::step_option:
        return write_entry("slurm.srun_options");
      case M::not_needed:
        return note(std::string(option_.text));
      case M::refused:
        return report(fmt::format("'{}' is not kept", option_.written()), std::string(option_.text));
      default:
        return write_own_key();
    }
  }

 private:
  /// Those that count nodes, tasks, CPUs, GPUs and memory are written with the layout of the job.
  void write_own_key() {
    switch (option_.meaning) {
      case M::run_name:
        return write_name();
      case M::time:
        return write_time();
      case M::exclusive:
        return set("slurm.exclusive", option_.value.empty() ? "nodes" : option_.value);
      case M::requeue:
        return set("fault_tolerance.requeue", "true");
      case M::signal:
        return write_signal();
      case M::output:
        return write_output();
      case M::environment:
        return write_environment();
      case M::folder:
        return write_folder();
      default:
        return;
    }
  }

  /// sbatch's options are those of the job; srun's count where the job has none.
  void set(const std::string& path, std::string value) {
    const auto* of_job = source_.program == BatchProgram::srun ? document_.find(path) : nullptr;
    if (of_job != nullptr && of_job->value != value)
      return note("the job keeps its value: " + of_job->comment);
    if (of_job != nullptr) return note("the job has the same value");
    document_.set(path, std::move(value), comment_);
  }

  void note(std::string reason) {
    document_.notes.push_back({option_.place.line, option_.place.line, option_.written(), std::move(reason)});
  }

  void report(std::string message, std::string advice) {
    errors_.push_back(config_error(option_.place, std::move(message), std::move(advice)));
  }

  void write_name() {
    const auto name = name_of_run(option_.value);
    if (name.empty()) return note("it is not a name for a run; the name of the YAML file is taken");
    set("name", render_text(name));
    if (name != option_.value && source_.program == BatchProgram::sbatch) write_entry("slurm.options");
  }

  void write_time() {
    if (is_no_time_limit(option_.value)) return note("a run has no limit by default");
    const auto time = duration_of_sbatch(option_.value);
    if (!time)
      return report("'" + option_.value + "' is not a time limit", "write it as HH:MM:SS or D-HH:MM:SS");
    set("resources.time", time->find_first_of(":-") == time->npos ? *time : '"' + *time + '"');
  }

  void write_key() {
    const std::string key(option_.text);
    if (key == "mpi") return write_mpi();
    set("slurm." + key, key == "segment" ? option_.value : render_text(option_.value));
  }

  void write_mpi() {
    const auto type = mpi_type_of(option_.value);
    if (!type)
      return report(fmt::format("'{}' is not a value of slurm.mpi", option_.written()),
                    std::string(kAdviceOnMpiType));
    if (*type != option_.value) comment_ += "; slurm.mpi names no version of PMIx";
    set("slurm.mpi", *type);
  }

  void write_entry(const std::string& map) {
    const auto* before = document_.find_entry(map, option_.name);
    if (source_.program == BatchProgram::srun && map == "slurm.options" && before != nullptr)
      return note("the job keeps its value: " + before->comment);
    document_.set_entry(map, option_.name, option_.value.empty() ? "\"\"" : render_text(option_.value),
                        comment_);
  }

  /// "B:USR1@120", "SIGUSR1@90"; the letter says who gets it, here always the run.
  void write_signal() {
    std::string_view text = option_.value;
    if (const auto colon = text.find(':'); colon != text.npos) text.remove_prefix(colon + 1);
    const auto sign = std::min(text.find('@'), text.size());
    auto name = text.substr(0, sign);
    if (name.starts_with("SIG")) name.remove_prefix(3);
    const auto number = parse_whole_number(name);
    const std::string signal = number == 10 ? "USR1" : number == 12 ? "USR2" : std::string(name);
    const auto lead =
        sign == text.size() ? kDefaultLead : parse_whole_number(text.substr(sign + 1)).value_or(kDefaultLead);
    if (signal != "USR1" && signal != "USR2")
      return report(
          "a run can be stopped by USR1 or USR2 before its time limit, not by '" + std::string(name) + "'",
          "write --signal=USR1@" + std::to_string(lead));
    set("fault_tolerance.signal", signal);
    set("fault_tolerance.signal_lead", fmt::format("{}s", lead));
  }

  /// A link to the log of rank 0. Points of a sweep need links of their own.
  void write_output() {
    const auto letters = parse_log_pattern(option_.value);
    if (option_.value == "/dev/null") return note("the output goes to files of the run folder");
    if (!letters)
      return note(
          "`ddpsubmit logs` shows the output; slurm.output does not take one of the letters behind '%'");
    const auto has = [&letters](char letter) { return letters->find(letter) != letters->npos; };
    if (source_.job == JobKind::array && !has('j') && !has('J') && !(has('A') && has('a')))
      return note("`ddpsubmit logs` shows the output; the points of a sweep would have one link");
    set("slurm.output", render_text(render_path(option_.value)));
  }

  /// "ALL", "NONE", "ALL,NAME=value", "NAME,OTHER".
  void write_environment() {
    std::vector<std::string> passed;
    bool inherits = false;
    std::string_view rest = option_.value;
    while (!rest.empty()) {
      const auto item = std::string(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      const auto sign = item.find('=');
      if (item == "ALL") {
        inherits = true;
      } else if (sign != item.npos) {
        set_variable(item.substr(0, sign), item.substr(sign + 1));
      } else if (item != "NONE" && item != "NIL") {
        passed.push_back(item);
      }
    }
    if (inherits && passed.empty() && option_.value == "ALL")
      return note("environment.inherit is true by default");
    if (!inherits) document_.set("environment.inherit", "false", comment_);
    if (!passed.empty()) document_.set("environment.pass", render_texts(passed), comment_);
  }

  void set_variable(const std::string& name, const std::string& value) {
    if (is_secret_name(name)) return document_.add_secret(name, comment_);
    document_.set_entry("environment.set", name, render_text(value), comment_);
  }

  void write_folder() {
    if (option_.value == "." || option_.value == "./")
      return note("ranks start in the folder in which you call ddpsubmit");
    report(fmt::format("'{}': ranks start in the folder in which you call ddpsubmit", option_.written()),
           "call ddpsubmit run in that folder, and remove the option; or write cd before srun");
  }

  const GivenOption& option_;
  std::string comment_;
  OptionSource source_;
  ConfigDocument& document_;
  Errors& errors_;
};

}  // namespace

std::optional<std::string> mpi_type_of(const std::string& value) {
  static constexpr std::array<std::string_view, 4> kTypes = {"none", "pmix", "pmi2", "cray_shasta"};
  constexpr std::string_view kVersion = "pmix_v";
  const bool is_version =
      value.starts_with(kVersion) && parse_whole_number(std::string_view(value).substr(kVersion.size()));
  if (is_version) return "pmix";
  return std::ranges::find(kTypes, value) == kTypes.end() ? std::nullopt : std::optional(value);
}

void set_array_values(const std::vector<std::string>& tasks, ShellScope& scope) {
  std::vector<std::int64_t> numbers;
  for (const auto& task : tasks) numbers.push_back(parse_whole_number(task).value_or(0));
  const auto text_of = [&](auto choose) {
    return numbers.empty() ? std::string() : std::to_string(*choose(numbers.begin(), numbers.end()));
  };
  using Number = std::vector<std::int64_t>::const_iterator;
  scope.set("SLURM_ARRAY_TASK_COUNT", tasks.empty() ? "" : std::to_string(tasks.size()));
  scope.set("SLURM_ARRAY_TASK_MIN", text_of([](Number a, Number b) { return std::min_element(a, b); }));
  scope.set("SLURM_ARRAY_TASK_MAX", text_of([](Number a, Number b) { return std::max_element(a, b); }));
}

void set_slurm_values(const OptionsByMeaning& sbatch, ShellScope& scope) {
  Errors ignored;  // they are reported when the ranks are counted
  const auto layout = lay_out_job(sbatch, {}, ignored);
  const auto nodes = std::to_string(layout.nodes.value);
  const auto tasks = std::to_string(layout.nodes.value * layout.tasks_per_node.value);
  const auto text_of = [](const std::optional<LaidOut<int>>& number) {
    return number ? std::to_string(number->value) : "";
  };
  const bool counts_tasks = sbatch.contains(M::tasks) || sbatch.contains(M::tasks_per_node);
  const auto as_written = [&sbatch](M meaning) {
    const auto option = sbatch.find(meaning);
    return option == sbatch.end() ? std::string() : option->second.value;
  };
  const auto per_node = std::to_string(layout.tasks_per_node.value);
  const std::array<std::pair<const char*, std::string>, 11> values = {{
      {"SLURM_NNODES", nodes},
      {"SLURM_JOB_NUM_NODES", nodes},
      {"SLURM_NTASKS", counts_tasks ? tasks : ""},
      {"SLURM_NPROCS", counts_tasks ? tasks : ""},
      {"SLURM_NTASKS_PER_NODE", sbatch.contains(M::tasks_per_node) ? per_node : ""},
      {"SLURM_TASKS_PER_NODE", layout.nodes.value == 1 ? per_node : fmt::format("{}(x{})", per_node, nodes)},
      {"SLURM_CPUS_PER_TASK", text_of(layout.cpus_per_task)},
      {"SLURM_GPUS_ON_NODE", text_of(layout.gpus_per_node)},
      {"SLURM_GPUS", as_written(M::gpus)},
      {"SLURM_GPUS_PER_NODE", as_written(M::gpus_per_node)},
      {"SLURM_GPUS_PER_TASK", as_written(M::gpus_per_task)},
  }};
  for (const auto& [name, value] : values) scope.set(name, value);
  if (const auto name = sbatch.find(M::run_name); name != sbatch.end())
    scope.set("SLURM_JOB_NAME", name->second.value);
}

void write_batch_option(const GivenOption& option, const OptionSource& source, ConfigDocument& document,
                        Errors& errors) {
  OptionWriter(option, source, document, errors).write();
}

}  // namespace ddp::cli
