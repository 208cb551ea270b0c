#include "cli/import/import_script.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "cli/import/config_document.hpp"
#include "cli/import/directives.hpp"
#include "cli/import/job_layout.hpp"
#include "cli/import/launch_line.hpp"
#include "cli/import/line_idioms.hpp"
#include "cli/import/mpi_modules.hpp"
#include "cli/import/rank_command.hpp"
#include "cli/import/rank_counts.hpp"
#include "cli/import/script_arguments.hpp"
#include "cli/import/script_programs.hpp"
#include "cli/import/script_steps.hpp"
#include "cli/import/secret_words.hpp"
#include "cli/import/set_up_lines.hpp"
#include "cli/import/short_text.hpp"
#include "cli/import/slurm_values.hpp"
#include "cli/spec/field_writer.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

using M = OptionMeaning;

constexpr std::string_view kHead =
    "# ddpsubmit import made this of {}. A comment names the lines of the script that a value comes from;\n"
    "# lines without a key stand at the end. Check it: ddpsubmit validate FILE\n";

/// What a login shell reads, without the failures that set -e would end on.
constexpr std::string_view kLoginShell =
    "set +e; source /etc/profile; for f in ~/.bash_profile ~/.bash_login ~/.profile; do if [ -r \"$f\" ]; "
    "then source "
    "\"$f\"; break; fi; done; set -e";

constexpr std::string_view kMpiVariable = "SLURM_MPI_TYPE";
constexpr std::string_view kNoMpiType =
    "the script may rely on the cluster's MpiDefault, but ddpsubmit starts the ranks with --mpi=none: if the "
    "program calls MPI, set rendezvous.backend: mpi for MPICH and Intel MPI, or slurm.mpi: pmix for Open MPI";

/// Options of one kind, of which Slurm takes one.
std::string kind_of(const GivenOption& option) {
  switch (option.meaning) {
    case M::memory:
    case M::memory_per_cpu:
    case M::memory_per_gpu:
      return "memory";
    case M::gpus:
    case M::gpus_per_node:
    case M::gpus_per_task:
    case M::gres:
      return "GPUs";
    default:
      return option.name;
  }
}

std::string reason_beside(const GivenOption& option, const GivenOption& winner) {
  const auto text = fmt::format("line {}: {}", winner.place.line, winner.written());
  if (kind_of(option) == "GPUs" && winner.meaning != option.meaning)
    return "resources.gpus_per_node comes from " + text;
  return (winner.value == option.value ? "it is also in " : "overridden by ") + text;
}

class ScriptImport {
 public:
  explicit ScriptImport(const std::shared_ptr<const SourceText>& source)
      : source_(source), script_(parse_shell(source)) {}

  tl::expected<ImportedScript, Errors> run() {
    errors_ = script_.errors;
    document_.head = fmt::format(fmt::runtime(kHead), source_->name);
    check_characters();
    if (!errors_.empty()) return tl::unexpected(sorted_errors());
    check_interpreter();
    read_job();
    if (script_.errors.empty()) read_ranks();
    check_script_arguments();
    if (errors_.empty()) check_options();
    comment_on_signal();
    check_every_line();
    if (!errors_.empty()) return tl::unexpected(sorted_errors());
    note_secrets();
    for (auto& note : document_.notes) note.text = short_text(hide_secrets(note.text));
    return ImportedScript{document_.render(), std::move(notes_)};
  }

 private:
  void report(const Place& place, std::string message, std::string advice) {
    errors_.push_back(config_error(place, std::move(message), std::move(advice)));
  }

  /// A configuration is UTF-8; symbolic texts use some of the control characters.
  void check_characters() {
    const std::string_view text = source_->text;
    for (std::size_t at = 0; at < text.size();) {
      const auto point = decode_utf8(text.substr(at));
      if (const auto problem = problem_of(point); !problem.empty())
        return report(place_at(source_, at), std::string(problem), "remove it, or write it in another way");
      at += point.bytes;
    }
  }

  static std::string_view problem_of(const CodePoint& point) {
    constexpr char32_t kByteOrderMark = 0xFEFF;
    if (!point.valid) return "the script is not UTF-8 here";
    if (point.value == U'\r') return "a carriage return stands here, as at line ends of Windows";
    if (point.value == U'\n' || point.value == U'\t') return {};
    if (is_control_character(point.value) || point.value == kByteOrderMark)
      return "the script has a control character";
    return {};
  }

  void check_interpreter() {
    const auto first = line_at(*source_, 0).text;
    if (!first.starts_with("#!")) return;
    const bool is_shell =
        first.find("bash") != first.npos || first.ends_with("/sh") || first.find("/sh ") != first.npos;
    if (!is_shell)
      return report(place_at(source_, 0, static_cast<int>(first.size())),
                    "the script is not one of bash or sh", "write its lines for bash");
    const auto options = first.substr(first.find("sh") + 2);
    if (options.find(" -l") == options.npos && options.find("--login") == options.npos) return;
    document_.setup.push_back({std::string(kLoginShell), "line 1: a login shell reads these"});
  }

  void read_job() {
    directives_ = read_directives(script_, errors_);
    sbatch_ = by_meaning(directives_.options);
    ArrayTasks tasks;
    if (const auto array = sbatch_.find(M::array); array != sbatch_.end())
      tasks = read_array(array->second, errors_);
    counts_from_zero_ = tasks.counts_from_zero();
    at_once_ = tasks.at_once;
    array_numbers_ = tasks.numbers;
    ShellScope scope(tasks.numbers);
    set_slurm_values(sbatch_, scope);
    set_array_values(array_numbers_, scope);
    steps_ = read_steps(script_, scope, errors_);
    swept_ = scope.swept();
    for (const auto& note : directives_.notes) document_.notes.push_back(note);
    for (const auto& note : steps_.notes) document_.notes.push_back(note);
  }

  void read_ranks() {
    write_job();
    if (steps_.launches.empty() && !choose_last_program()) return;
    auto& launch = steps_.launches.front();
    OptionsByMeaning srun;
    if (launch.is_srun) srun = read_srun(launch);
    if (launch.words.empty())
      return report(launch.place, "srun starts no program", "write the program behind it");
    const auto line = read_launch_line(launch.words, errors_);
    if (line.command.empty()) return;
    merge_launches(line);
    const auto layout = lay_out_job(sbatch_, srun, errors_);
    write_layout(layout, line, launch, srun);
    if (launch.is_srun && !document_.has("slurm.mpi")) write_mpi(line, launch);
    write_command(line, launch);
    write_arguments();
  }

  /// Without srun, one line may be the program itself.
  bool choose_last_program() {
    auto& steps = steps_.steps;
    const auto is_one = [](const ScriptStep& step) {
      return step.kind == ScriptStep::Kind::command && is_program(step.words);
    };
    const auto count = std::ranges::count_if(steps, is_one);
    const auto program = std::ranges::find_if(steps, is_one);
    if (count == 0) {
      if (errors_.empty())
        report(last_place(), "no line of the script starts the ranks",
               "write the program behind srun: srun python train.py");
      return false;
    }
    if (count > 1 || program->form == ScriptStep::Form::joined) return refuse_programs(is_one);
    for (auto later = program + 1; later != steps.end(); ++later) refuse_later(*later);
    steps_.launches.push_back(
        {program->words, {}, program->uses, false, program->first, program->last, program->place});
    steps.erase(program, steps.end());
    return true;
  }

  /// Set-up lines run in a shell of ddpsubmit, which has other arguments.
  void check_script_arguments() {
    for (const auto& step : steps_.steps) {
      if (step.kind == ScriptStep::Kind::folder) continue;  // it is checked with the command
      for (const auto& [name, place] : step.arguments) {
        const bool expands = name.starts_with('$');
        report(place,
               expands
                   ? fmt::format("only the script itself can tell what '{}' is", name)
                   : fmt::format("'{}' changes the arguments of the script, which a run does not have", name),
               std::string(kAdviceOnArgument));
      }
    }
  }

  [[nodiscard]] Place last_place() const {
    return place_at(source_, script_.lines.empty() ? 0 : script_.lines.back().begin);
  }

  template <class IsProgram>
  bool refuse_programs(const IsProgram& is_one) {
    for (const auto& step : steps_.steps)
      if (is_one(step))
        report(step.place, "without srun, one line alone may be the program of the ranks",
               "write srun before the program of the ranks, on a line of its own");
    return false;
  }

  void refuse_later(const ScriptStep& step) {
    const auto program = step.words.empty() ? std::string() : step.words[0].text;
    report(step.place, "nothing runs after the ranks", std::string(advice_on_later_line(program)));
  }

  OptionsByMeaning read_srun(LaunchCommand& launch) {
    auto read = read_options(launch.words, BatchProgram::srun, errors_);
    launch.words.erase(launch.words.begin(), launch.words.begin() + static_cast<std::ptrdiff_t>(read.used));
    for (const auto& option : read.options) {
      const bool is_lost = option.meaning == M::not_needed || option.meaning == M::refused;
      if (is_lost || is_known(option.value)) {
        write_option(option, BatchProgram::srun);
      } else {
        report(option.place, fmt::format("the value of '{}' is not known", option.written()), "write it out");
      }
    }
    srun_options_ = read.options;
    auto srun = by_meaning(read.options);
    if (const auto mail = srun.find(M::mail_type); mail != srun.end()) write_mail_of_srun(mail->second);
    return srun;
  }

  void write_mail_of_srun(const GivenOption& mail) {
    const auto* of_job = document_.find("slurm.mail_type");
    if (of_job == nullptr)
      return document_.set("slurm.mail_type", render_text(mail.value), comment_on_option(mail));
    document_.notes.push_back(
        {mail.place.line, mail.place.line, mail.written(), "the job keeps its value: " + of_job->comment});
  }

  /// The commands of all nodes are one here: they differ in the number of the node.
  void merge_launches(const LaunchLine& first) {
    const auto& launches = steps_.launches;
    for (std::size_t index = 1; index < launches.size(); ++index) {
      const auto other = read_launch_line(launches[index].words, errors_);
      const auto words = [](const LaunchLine& line) {
        std::vector<std::string> texts;
        for (const auto& word : line.command) texts.push_back(word.text);
        return texts;
      };
      if (words(other) != words(first) || !first.nodes)
        report(launches[index].place, "this line starts other ranks than the line before",
               "write one file for each of them");
      document_.notes.push_back({launches[index].first, launches[index].last, source_text(launches[index]),
                                 "the same command on another node"});
    }
    if (launches.size() > 1 && first.nodes && first.nodes->text != std::to_string(launches.size()))
      report(launches.front().place,
             fmt::format("--nnodes is {}, but {} lines start ranks", first.nodes->text, launches.size()),
             "write a line for each node, or one line with srun");
  }

  [[nodiscard]] std::string source_text(const LaunchCommand& launch) const {
    return std::string(
        line_at(*source_, source_->line_starts[static_cast<std::size_t>(launch.first) - 1]).text);
  }

  void write_job() {
    document_.set("launcher", "slurm", "");
    for (const auto& option : directives_.options) write_option(option, BatchProgram::sbatch);
    // Written after all others: several are added up.
    if (const auto mail = sbatch_.find(M::mail_type); mail != sbatch_.end())
      document_.set("slurm.mail_type", render_text(mail->second.value), comment_on_option(mail->second));
  }

  void write_option(const GivenOption& option, BatchProgram program) {
    const OptionSource source{program, array_numbers_.empty() ? JobKind::single : JobKind::array};
    write_batch_option(option, source, document_, errors_);
  }

  void write_layout(const JobLayout& layout, const LaunchLine& line, const LaunchCommand& launch,
                    const OptionsByMeaning& srun) {
    const auto ranks = count_ranks(layout, line, launch, errors_);
    cpus_per_rank_ = ranks.cpus_per_task ? ranks.cpus_per_task->value : 1;
    document_.set("resources.nodes", std::to_string(ranks.nodes.value), ranks.nodes.comment);
    document_.set("resources.tasks_per_node", std::to_string(ranks.tasks_per_node.value),
                  ranks.tasks_per_node.comment);
    if (ranks.cpus_per_task)
      document_.set("resources.cpus_per_task", std::to_string(ranks.cpus_per_task->value),
                    ranks.cpus_per_task->comment);
    if (layout.gpus_per_node)
      document_.set("resources.gpus_per_node", std::to_string(layout.gpus_per_node->value),
                    layout.gpus_per_node->comment);
    if (layout.gpu_type)
      document_.set("resources.gpu_type", render_text(layout.gpu_type->value), layout.gpu_type->comment);
    if (layout.gres) document_.set("slurm.gres", render_text(layout.gres->value), layout.gres->comment);
    if (layout.memory) document_.set("resources.memory", layout.memory->value, layout.memory->comment);
    note_counts(srun, ranks);
    if (line.max_restarts && *line.max_restarts != "0")
      document_.set("fault_tolerance.max_restarts", *line.max_restarts,
                    fmt::format("line {}: --max-restarts", launch.first));
  }

  /// Options that only lead to the numbers of ranks.
  void note_counts(const OptionsByMeaning& srun, const RankCounts& ranks) {
    for (const OptionsByMeaning* options : {&std::as_const(sbatch_), &srun}) {
      for (const auto meaning : {M::nodes, M::tasks, M::tasks_per_node}) {
        const auto option = options->find(meaning);
        if (option == options->end()) continue;
        const auto comment = comment_on_option(option->second);
        if (comment == ranks.nodes.comment || comment == ranks.tasks_per_node.comment) continue;
        document_.notes.push_back({option->second.place.line, option->second.place.line,
                                   option->second.written(), "resources.nodes and tasks_per_node have it"});
      }
    }
  }

  /// How srun connects the ranks where it has no --mpi: by a variable, or as the cluster has it.
  void write_mpi(const LaunchLine& line, const LaunchCommand& launch) {
    for (const auto& [name, value] : launch.variables)
      if (name == kMpiVariable) return write_mpi_type(value, launch.first, launch.place);
    for (const auto& step : std::views::reverse(steps_.steps))
      if (step.kind == ScriptStep::Kind::assignment && step.is_exported && step.name == kMpiVariable)
        return write_mpi_type(step.value, step.first, step.place);
    if (line.starter == RankStarter::none && std::ranges::any_of(steps_.steps, loads_mpi))
      document_.notes.push_back({launch.first, launch.first, "srun without --mpi", std::string(kNoMpiType)});
  }

  void write_mpi_type(const std::string& value, int line, const Place& place) {
    const auto type = mpi_type_of(value);
    if (!type)
      return report(place, fmt::format("{} does not have a value of slurm.mpi", kMpiVariable),
                    std::string(kAdviceOnMpiType));
    document_.set("slurm.mpi", *type, fmt::format("line {}: {}={}", line, kMpiVariable, value));
  }

  void write_command(const LaunchLine& line, const LaunchCommand& launch) {
    RankCommand command;
    for (const auto& step : steps_.steps)
      if (step.kind == ScriptStep::Kind::folder) command.folders.push_back({step.value, step.place});
    command.variables = variables_of_command(steps_.steps, cpus_per_rank_);
    for (const auto& variables : {launch.variables, line.variables})
      add_variables(variables, launch, command);
    command.words = line.command;
    const auto rendered = render_rank_command(command, errors_);
    arguments_ = rendered.arguments;
    expanded_ = rendered.variables;
    document_.command = rendered.words;
    const auto lines = launch.first == launch.last ? fmt::format("line {}", launch.first)
                                                   : fmt::format("lines {}-{}", launch.first, launch.last);
    document_.command_comment = lines;
    if (!line.not_needed.empty())
      document_.notes.push_back({launch.first, launch.last,
                                 fmt::format("{}", fmt::join(line.not_needed, " ")),
                                 "ddpsubmit connects, starts and watches the ranks itself"});
    for (const auto& [name, why] : line.no_effect)
      document_.notes.push_back({launch.first, launch.last, name, why});
    const NeededVariables needed{rendered.variables, launch.uses, cpus_per_rank_, counts_from_zero_};
    sort_steps(steps_.steps, needed, document_, errors_);
  }

  void add_variables(const std::vector<std::pair<std::string, std::string>>& variables,
                     const LaunchCommand& launch, RankCommand& command) {
    for (const auto& [name, value] : variables) {
      if (name == kMpiVariable) continue;  // slurm.mpi has it
      const bool goes_with_command = !is_known(value) || name == "OMP_NUM_THREADS";
      if (is_secret_name(name)) {
        document_.add_secret(name, fmt::format("line {}", launch.first));
      } else if (goes_with_command) {
        command.variables.emplace_back(name, value);
      } else {
        document_.set_entry("environment.set", name, render_text(value),
                            fmt::format("line {}", launch.first));
      }
    }
  }

  /// One argument is a list; several change together.
  void write_arguments() {
    if (array_numbers_.empty()) return;
    const auto comment = comment_on_option(sbatch_.at(M::array));
    if (!at_once_.empty()) document_.set("sweep_options.at_once", at_once_, comment);
    if (arguments_.empty()) return write_number_alone(comment);
    if (arguments_.size() == 1) {
      const auto& name = *arguments_.begin();
      document_.set("sweep", fmt::format("{{args.{}: {}}}", name, render_texts(swept_.at(name))), comment);
    } else {
      document_.set("sweep", fmt::format("{{args: [{}]}}", fmt::join(points(), ", ")), comment);
    }
    for (const auto& name : arguments_) check_values(name);
  }

  [[nodiscard]] std::vector<std::string> points() const {
    std::vector<std::string> points;
    for (std::size_t task = 0; task < array_numbers_.size(); ++task) {
      std::vector<std::string> values;
      for (const auto& name : arguments_)
        values.push_back(fmt::format("{}: {}", name, render_text(swept_.at(name)[task])));
      points.push_back(fmt::format("{{{}}}", fmt::join(values, ", ")));
    }
    return points;
  }

  void check_values(const std::string& name) {
    if (std::ranges::all_of(swept_.at(name), is_known)) return;
    report(sbatch_.at(M::array).place,
           fmt::format("not all values of '{}' are known for all tasks of the array", name),
           "write a value for each task into the script");
  }

  /// Whether a variable of the command takes its value from the number of the task, when the job runs.
  [[nodiscard]] bool depends_on_task() const {
    auto names = expanded_;
    for (const auto& step : std::views::reverse(steps_.steps))
      if (step.kind == ScriptStep::Kind::assignment && names.contains(step.name))
        names.insert(step.uses.begin(), step.uses.end());
    return std::ranges::any_of(names,
                               [](const std::string& name) { return name.starts_with("SLURM_ARRAY_TASK_"); });
  }

  /// The program reads the number of its task itself.
  void write_number_alone(const std::string& comment) {
    if (!counts_from_zero_ && depends_on_task()) return;  // the line that sets it is refused
    if (!counts_from_zero_)
      return report(sbatch_.at(M::array).place,
                    "no argument of the command depends on SLURM_ARRAY_TASK_ID, which counts from 0 here",
                    "number the array from 0, or pass $SLURM_ARRAY_TASK_ID to the program as an argument");
    document_.set("sweep", fmt::format("{{environment.set.ARRAY_TASK: {}}}", render_texts(array_numbers_)),
                  comment);
  }

  /// sbatch requeues by default, and a program may ask for it after the signal.
  void comment_on_signal() {
    const auto* signal = document_.find("fault_tolerance.signal");
    const auto is_no_requeue = [](const GivenOption& option) { return option.name == "no-requeue"; };
    if (signal == nullptr || document_.has("fault_tolerance.requeue") ||
        std::ranges::any_of(directives_.options, is_no_requeue))
      return;
    document_.set("fault_tolerance.signal", signal->value,
                  signal->comment +
                      "; the job is submitted with --no-requeue: if the program calls scontrol requeue, as "
                      "PyTorch Lightning does, set fault_tolerance.requeue: true");
  }

  void note_secrets() {
    for (const auto& [name, comment] : document_.secrets())
      notes_.push_back(
          fmt::format("{}: the value of {} is not in the YAML; export it in the shell in which you call "
                      "ddpsubmit run",
                      comment.substr(0, comment.find(':')), name));
    for (const auto& launch : steps_.launches)
      if (holds_secret(launch.words)) note_secret_words(launch.first);
    for (const auto& step : steps_.steps) {
      const bool is_kept = step.kind == ScriptStep::Kind::command;
      if (is_kept && (holds_secret(step.words) || writes_secret(step.text))) note_secret_words(step.first);
    }
  }

  void note_secret_words(int line) {
    notes_.push_back(
        fmt::format("line {}: a word that looks like a secret is in the YAML: remove it before you "
                    "share the file; a program can read it from an environment variable",
                    line));
  }

  [[nodiscard]] bool is_said(const GivenOption& option) const {
    return option.meaning == M::mail_type || document_.cites(comment_on_option(option)) ||
           std::ranges::any_of(document_.notes, [&option](const LineNote& note) {
             return note.first == option.place.line && note.text == option.written();
           });
  }

  /// An option from which nothing comes is told, or is an error.
  void check_options() {
    auto all = directives_.options;
    all.insert(all.end(), srun_options_.begin(), srun_options_.end());
    for (const auto& option : all) {
      if (is_said(option)) continue;
      const auto winner = std::ranges::find_if(all, [&](const GivenOption& other) {
        return kind_of(other) == kind_of(option) && is_said(other) &&
               document_.cites(comment_on_option(other));
      });
      if (winner == all.end()) {
        report(option.place, "'" + option.written() + "' has no effect on the configuration", "remove it");
      } else if (kind_of(option) == "memory" && winner->meaning != option.meaning) {
        report(option.place, "the memory is named in two ways", "remove one of them");
      } else {
        document_.notes.push_back(
            {option.place.line, option.place.line, option.written(), reason_beside(option, *winner)});
      }
    }
  }

  /// A line of which nothing is said is an error of this program.
  void check_every_line() {
    std::vector<bool> said(source_->line_starts.size() + 2, false);
    const auto mark = [&said](int first, int last) {
      for (int line = first; line <= last && line < static_cast<int>(said.size()); ++line)
        said[static_cast<std::size_t>(line)] = true;
    };
    for (const auto& note : document_.notes) mark(note.first, note.last);
    for (const auto& option : directives_.options) mark(option.place.line, option.place.line);
    for (const auto& step : steps_.steps) mark(step.first, step.last);
    for (const auto& launch : steps_.launches) mark(launch.first, launch.last);
    for (const auto& error : errors_)
      if (error.where) mark(error.where->line, error.where->line);
    for (const auto& line : script_.lines) {
      const int number = line_at(*source_, line.begin).number;
      if (!said[static_cast<std::size_t>(number)])
        report(place_at(source_, line.begin), "the line is not understood", "write it in another way");
    }
  }

  Errors sorted_errors() {
    std::ranges::stable_sort(errors_, {}, [](const Error& error) {
      return error.where ? std::pair(error.where->line, error.where->column) : std::pair(0, 0);
    });
    return std::move(errors_);
  }

  std::shared_ptr<const SourceText> source_;
  ShellScript script_;
  Errors errors_;
  std::vector<std::string> notes_;
  ConfigDocument document_;
  Directives directives_;
  OptionsByMeaning sbatch_;
  std::vector<GivenOption> srun_options_;
  ScriptSteps steps_;
  std::map<std::string, std::vector<std::string>> swept_;
  std::set<std::string> arguments_;
  std::set<std::string> expanded_;  ///< variables that the shell of a rank expands
  std::vector<std::string> array_numbers_;
  std::string at_once_;
  bool counts_from_zero_ = true;
  int cpus_per_rank_ = 1;
};

}  // namespace

tl::expected<ImportedScript, Errors> import_script(const std::shared_ptr<const SourceText>& source) {
  return ScriptImport(source).run();
}

}  // namespace ddp::cli
