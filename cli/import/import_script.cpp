#include "cli/import/import_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/import/config_document.hpp"
#include "cli/import/directives.hpp"
#include "cli/import/job_layout.hpp"
#include "cli/import/launch_line.hpp"
#include "cli/import/rank_command.hpp"
#include "cli/import/rank_counts.hpp"
#include "cli/import/script_steps.hpp"
#include "cli/import/set_up_lines.hpp"
#include "cli/import/short_text.hpp"
#include "cli/import/slurm_values.hpp"
#include "cli/spec/field_writer.hpp"

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
    check_every_line();
    if (!errors_.empty()) return tl::unexpected(sorted_errors());
    for (auto& note : document_.notes) note.text = short_text(note.text);
    return ImportedScript{document_.render(), std::move(notes_)};
  }

 private:
  void report(const Place& place, std::string message, std::string advice) {
    errors_.push_back(config_error(place, std::move(message), std::move(advice)));
  }

  /// Symbolic texts use such characters.
  void check_characters() {
    const auto at = source_->text.find_first_of("\x01\x02");
    if (at != std::string::npos)
      report(place_at(source_, at), "the script has a control character", "remove it");
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
    write_command(line, launch);
    write_arguments();
  }

  /// Without srun, the last line may be the program itself.
  bool choose_last_program() {
    const bool has_program = !steps_.steps.empty() && steps_.steps.back().kind == ScriptStep::Kind::command &&
                             !steps_.steps.back().words.empty() &&
                             is_program(steps_.steps.back().words[0].text);
    if (!has_program) {
      if (errors_.empty())
        report(place_at(source_, 0), "no line starts the ranks",
               "write the program behind srun: srun python train.py");
      return false;
    }
    const auto step = steps_.steps.back();
    steps_.steps.pop_back();
    steps_.launches.push_back({step.words, {}, step.uses, false, step.first, step.last, step.place});
    return true;
  }

  static bool is_program(std::string_view word) {
    const auto name = word.substr(word.rfind('/') + 1);
    return name.starts_with("python") || name == "bash" || name == "sh" || is_wrapper(name) ||
           word.find('/') != word.npos;
  }

  OptionsByMeaning read_srun(LaunchCommand& launch) {
    auto read = read_options(launch.words, BatchProgram::srun, errors_);
    launch.words.erase(launch.words.begin(), launch.words.begin() + static_cast<std::ptrdiff_t>(read.used));
    for (const auto& option : read.options) {
      const bool is_lost = option.meaning == M::not_needed || option.meaning == M::refused;
      if (is_lost || is_known(option.value)) {
        write_option(option);
      } else {
        report(option.place, fmt::format("the value of '{}' is not known", option.written()), "write it out");
      }
    }
    return by_meaning(read.options);
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
    for (const auto& option : directives_.options) write_option(option);
    // Written after all others: several are added up.
    if (const auto mail = sbatch_.find(M::mail_type); mail != sbatch_.end())
      document_.set("slurm.mail_type", render_text(mail->second.value), comment_on_option(mail->second));
  }

  void write_option(const GivenOption& option) {
    write_batch_option(option, array_numbers_.empty() ? JobKind::single : JobKind::array, document_, errors_);
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
    document_.command = rendered.words;
    const auto lines = launch.first == launch.last ? fmt::format("line {}", launch.first)
                                                   : fmt::format("lines {}-{}", launch.first, launch.last);
    document_.command_comment = lines;
    if (!line.not_needed.empty())
      document_.notes.push_back({launch.first, launch.last,
                                 fmt::format("{}", fmt::join(line.not_needed, " ")),
                                 "ddpsubmit connects, starts and watches the ranks itself"});
    const NeededVariables needed{rendered.variables, launch.uses, cpus_per_rank_, counts_from_zero_};
    sort_steps(steps_.steps, needed, document_, notes_, errors_);
  }

  void add_variables(const std::vector<std::pair<std::string, std::string>>& variables,
                     const LaunchCommand& launch, RankCommand& command) {
    for (const auto& [name, value] : variables) {
      const bool goes_with_command = !is_known(value) || name == "OMP_NUM_THREADS";
      if (goes_with_command) {
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

  /// The program reads the number of its task itself.
  void write_number_alone(const std::string& comment) {
    if (!counts_from_zero_)
      return report(sbatch_.at(M::array).place,
                    "no argument of the command depends on SLURM_ARRAY_TASK_ID, which counts from 0 here",
                    "number the array from 0, or pass $SLURM_ARRAY_TASK_ID to the program as an argument");
    document_.set("sweep", fmt::format("{{environment.set.ARRAY_TASK: {}}}", render_texts(array_numbers_)),
                  comment);
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
  ScriptSteps steps_;
  std::map<std::string, std::vector<std::string>> swept_;
  std::set<std::string> arguments_;
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
