#include "cli/launchers/slurm/script/sbatch_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/launchers/slurm/keys/dependency_list.hpp"
#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "jobenv/record/ledger/submission_token.hpp"

namespace ddp::cli {
namespace {

std::string render_time_limit(std::chrono::seconds limit) {
  const auto total = limit.count();
  return fmt::format("{}-{:02}:{:02}:{:02}", total / 86400, total / 3600 % 24, total / 60 % 60, total % 60);
}

// In whole KiB, rounded up: Slurm takes no bytes.
std::string render_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kKib = 1024;
  constexpr std::uint64_t kMib = kKib * 1024;
  if (bytes % kMib == 0) return fmt::format("{}M", bytes / kMib);
  return fmt::format("{}K", (bytes + kKib - 1) / kKib);
}

std::string render_gpus(const Resources& resources) {
  const auto count = std::to_string(resources.gpus_per_node);
  return resources.gpu_type ? *resources.gpu_type + ':' + count : count;
}

std::string double_percent(const std::string& path) {
  std::string doubled;
  for (const char c : path) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return doubled;
}

/// Collects options in the order in which they are given.
class OptionList {
 public:
  /// An option that the value at `key` sets; the dashes are its own.
  void add(std::string name, std::string value, std::vector<std::string> keys) {
    options_.push_back({std::move(name), std::move(value), std::move(keys), {}});
  }
  void add_if(const std::string& name, const std::optional<std::string>& value, const std::string& key) {
    if (value) add(name, *value, {key});
  }
  /// An option of ddpsubmit's own.
  void add_own(std::string name, std::string value, std::string why) {
    options_.push_back({std::move(name), std::move(value), {}, std::move(why)});
  }
  void give_reason(std::string why) { options_.back().why = std::move(why); }
  [[nodiscard]] std::vector<SbatchOption> take() { return std::move(options_); }

 private:
  std::vector<SbatchOption> options_;
};

void add_gpus(const RunSpec& spec, OptionList& list) {
  const auto& resources = spec.resources;
  if (options_of<SlurmOptions>(spec).gres)
    return list.add("gres", *options_of<SlurmOptions>(spec).gres, {"slurm.gres"});
  if (resources.gpus_per_node == 0) return;
  std::vector<std::string> keys = {"resources.gpus_per_node"};
  if (resources.gpu_type) keys.emplace_back("resources.gpu_type");
  list.add("gpus-per-node", render_gpus(resources), std::move(keys));
}

void add_resources(const RunSpec& spec, OptionList& list) {
  const auto& resources = spec.resources;
  list.add("nodes", std::to_string(resources.nodes), {"resources.nodes"});
  list.add("ntasks-per-node", std::to_string(resources.tasks_per_node), {"resources.tasks_per_node"});
  list.add("cpus-per-task", std::to_string(resources.cpus_per_task), {"resources.cpus_per_task"});
  add_gpus(spec, list);
  if (resources.memory_bytes) list.add("mem", render_memory(*resources.memory_bytes), {"resources.memory"});
  if (resources.time) list.add("time", render_time_limit(*resources.time), {"resources.time"});
}

void add_placement(const SlurmOptions& slurm, OptionList& list) {
  list.add_if("partition", slurm.partition, "slurm.partition");
  list.add_if("account", slurm.account, "slurm.account");
  list.add_if("qos", slurm.qos, "slurm.qos");
  list.add_if("reservation", slurm.reservation, "slurm.reservation");
  list.add_if("constraint", slurm.constraint, "slurm.constraint");
  list.add_if("nodelist", slurm.nodelist, "slurm.nodelist");
  list.add_if("exclude", slurm.exclude, "slurm.exclude");
  // Of whole nodes the option has no value.
  const bool of_nodes = slurm.exclusive == "nodes";
  list.add_if("exclusive", of_nodes ? std::optional<std::string>("") : slurm.exclusive, "slurm.exclusive");
  if (slurm.segment) list.add("segment", std::to_string(*slurm.segment), {"slurm.segment"});
  list.add_if("mail-user", slurm.mail_user, "slurm.mail_user");
  list.add_if("mail-type", slurm.mail_type, "slurm.mail_type");
}

std::string log_name(const SbatchOptionInput& input) {
  return input.array ? "/slurm-%A_%a.out" : "/slurm-%j.out";
}

// The signal goes to the batch script alone (B:): sent to the step it would reach, and kill, every process of
// every rank.
void add_behaviour(const SbatchOptionInput& input, OptionList& list) {
  const auto& fault_tolerance = input.spec.fault_tolerance;
  const auto signal = input.spec.stop_signal();
  if (signal && (input.spec.resources.time || fault_tolerance.requeue)) {
    list.add("signal", fmt::format("B:{}@{}", *signal, fault_tolerance.signal_lead.count()),
             {"fault_tolerance.signal", "fault_tolerance.signal_lead"});
    list.give_reason("to the batch script only: it would kill ranks that do not handle it");
  }
  list.add(fault_tolerance.requeue ? "requeue" : "no-requeue", {}, {"fault_tolerance.requeue"});
  list.add_own("chdir", input.work_dir,
               input.spec.keeps_snapshot() ? "the copy of the working tree (environment.snapshot)"
                                           : "the folder that ddpsubmit was called in");
  list.add("output", double_percent((input.folder.root() / "logs").string()) + log_name(input),
           {"run_root", "name"});
  list.add_own("open-mode", "append", "a requeued job keeps its earlier output");
  list.add_own("export", "ALL",
               "the environment of the submission, without the variables that ddpsubmit drops");
}

void add_array(const SbatchArray& array, OptionList& list) {
  list.add("array", array.tasks + (array.at_once ? fmt::format("%{}", *array.at_once) : ""),
           {"sweep", "sweep_options.at_once"});
}

/// The user's own text stands behind the token, which is looked for at the beginning.
void add_comment(const SbatchOptionInput& input, OptionList& list) {
  const auto& comment = options_of<SlurmOptions>(input.spec).comment;
  std::vector<std::string> keys;
  if (comment) keys.emplace_back("slurm.comment");
  list.add("comment", comment_of_token(input.token) + (comment ? " " + *comment : ""), std::move(keys));
  list.give_reason("to find the job if the answer of sbatch is lost");
}

void add_dependency(const SbatchOptionInput& input, OptionList& list) {
  const auto& dependency = options_of<SlurmOptions>(input.spec).dependency;
  const auto after = input.array ? input.array->after : std::string();
  if (after.empty()) return list.add_if("dependency", dependency, "slurm.dependency");
  std::vector<std::string> keys;
  if (dependency) keys.emplace_back("slurm.dependency");
  list.add("dependency", add_end_of_job(dependency.value_or(""), after), std::move(keys));
  list.give_reason("so that sweep_options.at_once applies to all arrays together");
}

bool has_control_character(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Expected<void> check_values(const std::vector<SbatchOption>& options, const std::string& program) {
  for (const auto& option : options) {
    if (!has_control_character(option.name + option.value)) continue;
    return fail(ExitCode::config_invalid,
                "the value for " + program + "'s --" + option.name + " holds a control character",
                "remove line breaks and tabs from it");
  }
  return {};
}

bool is_plain(char c) {
  constexpr std::string_view kPlain = "@%+=:,./_-[]";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
}

}  // namespace

Expected<std::vector<SbatchOption>> make_sbatch_options(const SbatchOptionInput& input) {
  OptionList list;
  // That of slurm.options stands with the others there.
  if (options_of<SlurmOptions>(input.spec).job_name().empty())
    list.add("job-name", input.spec.name, {"name"});
  add_comment(input, list);
  add_resources(input.spec, list);
  add_placement(options_of<SlurmOptions>(input.spec), list);
  add_behaviour(input, list);
  add_dependency(input, list);
  if (input.array) add_array(*input.array, list);
  for (const auto& [name, value] : options_of<SlurmOptions>(input.spec).options) {
    if (const auto checked = check_option_name(name, sbatch_options); !checked)
      return tl::unexpected(checked.error().context("slurm.options"));
    if (const auto checked = check_option_value(name, value, sbatch_options); !checked)
      return tl::unexpected(checked.error().context("slurm.options"));
    list.add(name, value, {"slurm.options." + name});
  }
  auto options = list.take();
  if (auto checked = check_values(options, "sbatch"); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_values(srun_options_of(input.spec), "srun"); !checked)
    return tl::unexpected(checked.error());
  return options;
}

std::vector<SbatchOption> srun_options_of(const RunSpec& spec) {
  std::vector<SbatchOption> options;
  for (const auto& [name, value] : options_of<SlurmOptions>(spec).srun_options)
    options.push_back({name, value, {"slurm.srun_options." + name}});
  return options;
}

std::string render_argument(const SbatchOption& option) {
  return option.value.empty() ? "--" + option.name : "--" + option.name + "=" + option.value;
}

std::string render_directive(const SbatchOption& option) {
  if (std::ranges::all_of(option.value, is_plain)) return render_argument(option);
  // As in a shell, sbatch takes what is in double quotes for one word, and a backslash for the next character
  // itself.
  constexpr std::string_view kSpecial = "\"\\$`";
  std::string quoted;
  for (const char c : option.value) {
    if (kSpecial.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return "--" + option.name + "=\"" + quoted + '"';
}

}  // namespace ddp::cli
