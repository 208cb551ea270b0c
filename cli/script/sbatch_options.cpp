#include "cli/script/sbatch_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/spec/sbatch_option_names.hpp"

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

std::string double_percent(const std::string& path) {
  std::string doubled;
  for (const char c : path) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return doubled;
}

/// Collects options in the order in which they are given.
class OptionList {
 public:
  void add(std::string name, std::string value = {}) {
    options_.push_back({std::move(name), std::move(value)});
  }
  void add_if(const std::string& name, const std::optional<std::string>& value) {
    if (value) add(name, *value);
  }
  void add_above_zero(const std::string& name, int value) {
    if (value > 0) add(name, std::to_string(value));
  }
  [[nodiscard]] std::vector<SbatchOption> take() { return std::move(options_); }

 private:
  std::vector<SbatchOption> options_;
};

void add_resources(const RunSpec& spec, OptionList& list) {
  const auto& resources = spec.resources;
  list.add("nodes", std::to_string(resources.nodes));
  list.add("ntasks-per-node", std::to_string(resources.tasks_per_node));
  list.add("cpus-per-task", std::to_string(resources.cpus_per_task));
  if (!spec.slurm.gres) list.add_above_zero("gpus-per-node", resources.gpus_per_node);
  list.add_if("gres", spec.slurm.gres);
  if (resources.memory_bytes) list.add("mem", render_memory(*resources.memory_bytes));
  if (resources.time) list.add("time", render_time_limit(*resources.time));
}

void add_placement(const SlurmOptions& slurm, OptionList& list) {
  list.add_if("partition", slurm.partition);
  list.add_if("account", slurm.account);
  list.add_if("qos", slurm.qos);
  list.add_if("reservation", slurm.reservation);
  list.add_if("constraint", slurm.constraint);
  list.add_if("nodelist", slurm.nodelist);
  list.add_if("exclude", slurm.exclude);
  list.add_if("mail-user", slurm.mail_user);
  list.add_if("mail-type", slurm.mail_type);
}

// The signal goes to the batch script alone (B:): sent to the step it would reach, and kill, every process of
// every rank.
void add_behaviour(const SbatchOptionInput& input, OptionList& list) {
  const auto& fault_tolerance = input.spec.fault_tolerance;
  const auto signal = input.spec.stop_signal();
  if (signal && input.spec.resources.time) {
    list.add("signal", fmt::format("B:{}@{}", *signal, fault_tolerance.signal_lead.count()));
  }
  list.add(fault_tolerance.requeue ? "requeue" : "no-requeue");
  list.add("chdir", input.work_dir);
  list.add("output", double_percent((input.folder.root() / "logs").string()) + "/slurm-%j.out");
  list.add("open-mode", "append");
  list.add("export", "ALL");
}

bool has_control_character(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Expected<void> check_values(const std::vector<SbatchOption>& options) {
  for (const auto& option : options) {
    if (!has_control_character(option.name + option.value)) continue;
    return fail(ExitCode::config_invalid,
                "the value for sbatch's --" + option.name + " holds a control character",
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
  list.add("job-name", input.spec.name);
  list.add("comment", "ddpsubmit:" + input.token);
  add_resources(input.spec, list);
  add_placement(input.spec.slurm, list);
  add_behaviour(input, list);
  for (const auto& [name, value] : input.spec.slurm.options) {
    if (const auto checked = check_sbatch_option(name); !checked)
      return tl::unexpected(checked.error().context("slurm.options"));
    list.add(name, value);
  }
  auto options = list.take();
  if (auto checked = check_values(options); !checked) return tl::unexpected(checked.error());
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
