#include "cli/spec/spec_checks.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/spec/command_args.hpp"
#include "cli/spec/owned_variables.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

constexpr seconds kShortestHangOfCommand{60};
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestString = 131'071;  // that Linux hands to a program: 32 pages, with a zero byte

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_run_name(std::string_view name) {
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, fits);
}

// Anything else would mean more than a type to sbatch.
bool is_gpu_type(std::string_view type) {
  return std::ranges::all_of(
      type, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_variable_name(std::string_view name) {
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, fits);
}

/// "slurm or ssh".
std::string name_launchers_on_nodes() {
  std::vector<std::string> names;
  for (const auto* launcher : all_launchers()) {
    if (launcher->ranks_run == RanksRun::on_nodes) names.emplace_back(launcher->name);
  }
  return join_words(names, " or ");
}

class SpecChecks {
 public:
  SpecChecks(const RunSpec& spec, const ConfigNode& root, Errors& errors)
      : spec_(spec), root_(root), errors_(errors) {}

  void run() {
    check_name();
    check_program();
    check_notify();
    check_sizes();
    check_launcher();
    check_time();
    check_hang_timeout();
    check_requeue();
    check_gpu_type();
    check_interface();
    check_environment();
    check_by_launchers();
  }

 private:
  void check_interface() {
    const std::string& name = spec_.rendezvous.interface;
    const bool is_list = name.find_first_of(",^=") != std::string::npos;
    if (is_list)
      report("rendezvous.interface", "'" + name + "' is not the name of one interface",
             "write one name, such as ib0; lists and '^' are for NCCL: environment.set.NCCL_SOCKET_IFNAME");
  }

  void check_name() {
    const ConfigNode::Entry* name = root_.find("name");
    if (spec_.name == "last")
      errors_.push_back(config_error(name ? name->value.place : Place{}, "no run can have the name 'last'",
                                     "commands take it for the newest run; choose another name"));
    if (is_run_name(spec_.name)) return;
    errors_.push_back(
        config_error(name ? name->value.place : Place{}, "'" + spec_.name + "' is not a valid run name",
                     "use at most 64 letters, digits, '.', '_' and '-', beginning with a letter or a digit"));
  }

  void check_program() {
    const bool has_command =
        root_.find("command") && root_.find("command")->value.kind != ConfigNode::Kind::null;
    if (!has_command && !spec_.train) {
      return report("", "nothing to run: there is neither 'train' nor 'command'", "add train: or command:");
    }
    const bool is_empty = spec_.command.empty() || command_of(spec_).front().empty();
    const bool is_list = has_command && root_.find("command")->value.kind == ConfigNode::Kind::sequence;
    if (is_list && is_empty)
      report("command", "'command' has no program", "write command: [program, argument]");
  }

  void check_notify() {
    if (spec_.notify.command.empty() || !spec_.notify.command.front().empty()) return;
    report("notify.command", "'notify.command' has no program", "write command: [program, argument]");
  }

  void check_sizes() {
    for (const auto& word : command_of(spec_)) check_size("command", word.size());
    for (const auto& word : spec_.notify.command) check_size("notify.command", word.size());
    for (const auto& [name, value] : spec_.environment.set)
      check_size("environment.set." + name, name.size() + 1 + value.size());
  }

  void check_size(const std::string& path, std::size_t bytes) {
    if (bytes <= kLongestString) return;
    report(path, std::to_string(bytes) + " bytes are too long for an argument or a variable of a program",
           "write the value to a file and pass the file name");
  }

  /// In place of one that was refused stands the default.
  [[nodiscard]] bool launcher_is_known() const {
    const ConfigNode::Entry* entry = root_.find("launcher");
    return !entry || entry->value.kind == ConfigNode::Kind::null ||
           entry->value.scalar == spec_.launcher->name;
  }

  void check_launcher() {
    if (!launcher_is_known()) return;
    if (spec_.launcher->ranks_run == RanksRun::on_nodes || spec_.resources.nodes == 1) return;
    report("resources.nodes",
           "launcher '" + std::string(spec_.launcher->name) + "' uses one node, but resources.nodes is " +
               std::to_string(spec_.resources.nodes),
           "set launcher: " + name_launchers_on_nodes() + ", or nodes: 1");
  }

  void check_by_launchers() {
    for (const auto* launcher : all_launchers()) {
      if (launcher->check != nullptr) launcher->check(spec_, root_, errors_);
    }
  }

  void check_time() {
    const auto& time = spec_.resources.time;
    const seconds shortest = spec_.shortest_time_with_signal();
    if (spec_.launcher->traits.time_limit == TimeLimitBy::head || !spec_.stop_signal() || !time ||
        *time > shortest)
      return;
    report("resources.time",
           "a time limit of " + render_duration(*time) + " is too short: the stop signal comes " +
               render_duration(spec_.fault_tolerance.signal_lead) + " before it",
           advise_on_signal_lead(spec_));
  }

  void check_hang_timeout() {
    const auto timeout = spec_.hang_timeout();
    if (spec_.train || !timeout || *timeout >= kShortestHangOfCommand) return;
    report("fault_tolerance.hang_timeout",
           "the shortest hang_timeout of a command is " + render_duration(kShortestHangOfCommand) + ", not " +
               render_duration(*timeout),
           "set 1m or more, or off");
  }

  void check_requeue() {
    const bool begins_anew = spec_.train && spec_.train->checkpoint.resume == trainer::Resume::never;
    if (!spec_.fault_tolerance.requeue || !begins_anew) return;
    report("train.checkpoint.resume",
           "with 'never' a requeued job would start from the beginning, but fault_tolerance.requeue is true",
           "set resume: auto, or fault_tolerance.requeue: false");
  }

  void check_gpu_type() {
    const auto& resources = spec_.resources;
    if (!resources.gpu_type) return;
    const std::string quoted = "'" + *resources.gpu_type + "'";
    if (!is_gpu_type(*resources.gpu_type)) {
      report("resources.gpu_type", quoted + " is not a valid GPU type",
             "use letters, digits, '.', '_' and '-'; to list the GPU types of a cluster: sinfo -o %G");
    } else if (resources.gpus_per_node == 0) {
      report("resources.gpu_type", "gpu_type is " + quoted + ", but gpus_per_node is 0",
             "set resources.gpus_per_node, or remove gpu_type (gpu_type: null)");
    }
  }

  void check_environment() {
    const EnvironmentSpec& environment = spec_.environment;
    for (const auto& [name, value] : environment.set) {
      if (name != kTorchelasticRunId) check_variable("environment.set." + name, name);
      const bool is_secret = std::ranges::find(environment.secrets, name) != environment.secrets.end();
      if (is_secret)
        report("environment.set." + name, "'" + name + "' is under both 'set' and 'secrets'",
               "keep one of them");
    }
    for (const std::string& name : environment.pass) check_variable("environment.pass", name);
    for (const std::string& name : environment.secrets) check_variable("environment.secrets", name);
  }

  void check_variable(const std::string& path, const std::string& name) {
    if (!is_variable_name(name)) {
      report(path, "'" + name + "' is not a valid variable name",
             "use letters, digits and '_', not beginning with a digit");
    } else if (is_owned_variable(name)) {
      report(path, "'" + name + "' is set by ddpsubmit", "use another name");
    }
  }

  void report(std::string path, std::string message, std::string hint) {
    errors_.push_back(
        config_error(nearest_place(root_, std::move(path)), std::move(message), std::move(hint)));
  }

  const RunSpec& spec_;
  const ConfigNode& root_;
  Errors& errors_;
};

}  // namespace

void check_run_spec(const RunSpec& spec, const ConfigNode& root, Errors& errors) {
  SpecChecks(spec, root, errors).run();
}

}  // namespace ddp::cli
