#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

/// Whether an option takes a value.
enum class ValueUse { required, optional, none, unknown };

struct SbatchOptionName {
  std::string_view name;
  char letter = 0;  ///< of its one-letter form; 0: none
  ValueUse value = ValueUse::unknown;
  std::string_view problem = {};  ///< why it is refused; empty: it is not
  std::string_view remedy = {};
};

constexpr SbatchOptionName free_option(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::required};
}

constexpr SbatchOptionName optional_value(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::optional};
}

constexpr SbatchOptionName flag(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::none};
}

/// Of a version whose sbatch was not at hand.
constexpr SbatchOptionName newer_option(std::string_view name) {
  return {name};
}

constexpr SbatchOptionName own_option(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::unknown, "is left to ddpsubmit itself", "remove it"};
}

constexpr SbatchOptionName with_key(std::string_view name, char letter, std::string_view remedy) {
  return {name, letter, ValueUse::unknown, "has a key of its own", remedy};
}

constexpr SbatchOptionName other_cluster(std::string_view name, char letter = 0) {
  return {name, letter, ValueUse::unknown,
          "is not supported: status and cancel would ask the controller of this cluster",
          "submit on a host of that cluster"};
}

/// The long options of sbatch, of Slurm 20.11 to 26.05, sorted.
constexpr std::array kOptionNames = {
    with_key("account", 'A', "use slurm.account"),
    free_option("acctg-freq"),
    own_option("array", 'a'),
    own_option("autocomplete"),
    free_option("batch"),
    free_option("bb"),
    free_option("bbf"),
    free_option("begin", 'b'),
    own_option("chdir", 'D'),
    other_cluster("cluster"),
    free_option("cluster-constraint"),
    other_cluster("clusters", 'M'),
    own_option("comment"),
    newer_option("consolidate-segments"),
    with_key("constraint", 'C', "use slurm.constraint"),
    free_option("container"),
    newer_option("container-id"),
    newer_option("container-type"),
    free_option("context"),
    flag("contiguous"),
    free_option("core-spec", 'S'),
    free_option("cores-per-socket"),
    free_option("cpu-freq"),
    free_option("cpus-per-gpu"),
    with_key("cpus-per-task", 'c', "use resources.cpus_per_task"),
    free_option("deadline"),
    free_option("delay-boot"),
    free_option("dependency", 'd'),
    own_option("distribution", 'm'),
    own_option("error", 'e'),
    with_key("exclude", 'x', "use slurm.exclude"),
    optional_value("exclusive"),
    with_key("export", 0, "use environment"),
    with_key("export-file", 0, "use environment"),
    own_option("external"),
    free_option("extra"),
    free_option("extra-node-info", 'B'),
    optional_value("get-user-env"),
    free_option("gid"),
    free_option("gpu-bind"),
    free_option("gpu-freq"),
    with_key("gpus", 'G', "use resources.gpus_per_node"),
    with_key("gpus-per-node", 0, "use resources.gpus_per_node"),
    free_option("gpus-per-socket"),
    with_key("gpus-per-task", 0, "use resources.gpus_per_node"),
    with_key("gres", 0, "use slurm.gres"),
    free_option("gres-flags"),
    own_option("help", 'h'),
    free_option("hint"),
    flag("hold", 'H'),
    flag("ignore-pbs"),
    own_option("input", 'i'),
    with_key("job-name", 'J', "use name"),
    free_option("kill-on-invalid-dep"),
    free_option("licenses", 'L'),
    with_key("mail-type", 0, "use slurm.mail_type"),
    with_key("mail-user", 0, "use slurm.mail_user"),
    free_option("mcs-label"),
    with_key("mem", 0, "use resources.memory"),
    free_option("mem-bind"),
    free_option("mem-per-cpu"),
    free_option("mem-per-gpu"),
    newer_option("mem-update"),
    free_option("mincpus"),
    free_option("network"),
    optional_value("nice"),
    optional_value("no-kill", 'k'),
    with_key("no-requeue", 0, "use fault_tolerance.requeue"),
    free_option("nodefile", 'F'),
    with_key("nodelist", 'w', "use slurm.nodelist"),
    with_key("nodes", 'N', "use resources.nodes"),
    with_key("ntasks", 'n', "use resources.tasks_per_node"),
    free_option("ntasks-per-core"),
    with_key("ntasks-per-gpu", 0, "use resources.tasks_per_node"),
    with_key("ntasks-per-node", 0, "use resources.tasks_per_node"),
    free_option("ntasks-per-socket"),
    with_key("ntasks-per-tres", 0, "use resources.tasks_per_node"),
    newer_option("oom-kill-step"),
    own_option("open-mode"),
    own_option("output", 'o'),
    flag("overcommit", 'O'),
    flag("oversubscribe", 's'),
    own_option("parsable"),
    with_key("partition", 'p', "use slurm.partition"),
    free_option("power"),
    free_option("prefer"),
    free_option("priority"),
    free_option("profile"),
    optional_value("propagate"),
    with_key("qos", 'q', "use slurm.qos"),
    own_option("quiet", 'Q'),
    flag("reboot"),
    with_key("requeue", 0, "use fault_tolerance.requeue"),
    with_key("reservation", 0, "use slurm.reservation"),
    newer_option("resources"),
    newer_option("resv-ports"),
    newer_option("segment"),
    with_key("signal", 0, "use fault_tolerance.signal"),
    free_option("sockets-per-node"),
    flag("spread-job"),
    newer_option("spread-segments"),
    newer_option("stepmgr"),
    free_option("switches"),
    with_key("tasks-per-node", 0, "use resources.tasks_per_node"),
    own_option("test-only"),
    free_option("thread-spec"),
    free_option("threads-per-core"),
    with_key("time", 't', "use resources.time"),
    free_option("time-min"),
    free_option("tmp"),
    newer_option("tres-bind"),
    newer_option("tres-per-task"),
    free_option("uid"),
    own_option("usage"),
    flag("use-min-nodes"),
    flag("verbose", 'v'),
    own_option("version", 'V'),
    own_option("wait", 'W'),
    free_option("wait-all-nodes"),
    free_option("wckey"),
    own_option("wrap"),
};

std::string without_dashes(std::string_view name) {
  return std::string(name.substr(std::min(name.find_first_not_of('-'), name.size())));
}

bool is_long_option(std::string_view name) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  return name.size() > 1 && name.front() != '-' && std::ranges::all_of(name, fits);
}

/// The options that sbatch could take `name` for, which is not the whole name of any.
std::vector<SbatchOptionName> written_short(std::string_view name) {
  const auto by_letter = std::ranges::find_if(kOptionNames, [name](const SbatchOptionName& option) {
    return name.size() == 1 && option.letter == name.front();
  });
  if (by_letter != kOptionNames.end()) return {*by_letter};
  std::vector<SbatchOptionName> options;
  std::ranges::copy_if(kOptionNames, std::back_inserter(options), [name](const SbatchOptionName& option) {
    return !name.empty() && option.name.starts_with(name);
  });
  return options;
}

std::vector<std::string> names_of(const auto& options) {
  std::vector<std::string> names;
  for (const SbatchOptionName& option : options) names.emplace_back(option.name);
  return names;
}

tl::unexpected<Error> refuse(std::string message, std::string hint) {
  return fail(ExitCode::config_invalid, std::move(message), std::move(hint));
}

Expected<void> refuse_short_form(const std::string& name, const std::vector<SbatchOptionName>& meant) {
  if (meant.size() > 1) {
    return refuse("'" + name + "' is short for several options of sbatch",
                  "write one out: " + join_words(names_of(meant)));
  }
  const SbatchOptionName& option = meant.front();
  const std::string full(option.name);
  const std::string message = "'" + name + "' is short for sbatch's '--" + full + "'";
  if (option.problem.empty()) return refuse(message, "write it out: " + full);
  return refuse(message + ", which " + std::string(option.problem), std::string(option.remedy));
}

Expected<void> refuse_malformed(const std::string& name, const std::string& bare) {
  const auto suggestion = suggest(bare, names_of(kOptionNames));
  return refuse("'" + name + "' is no long option of sbatch",
                suggestion.empty() ? "write it without the dashes: exclusive: \"\"" : suggestion);
}

}  // namespace

Expected<void> check_sbatch_option(std::string_view name) {
  const std::string bare = without_dashes(name);
  const auto known = std::ranges::find(kOptionNames, std::string_view(bare), &SbatchOptionName::name);
  if (known != kOptionNames.end() && !known->problem.empty()) {
    return refuse("sbatch's '--" + bare + "' " + std::string(known->problem), std::string(known->remedy));
  }
  const bool is_known = known != kOptionNames.end();
  if (const auto meant = written_short(bare); !is_known && !meant.empty())
    return refuse_short_form(std::string(name), meant);
  if (!is_long_option(name)) return refuse_malformed(std::string(name), bare);
  return {};
}

Expected<void> check_sbatch_value(std::string_view name, std::string_view value) {
  const auto known = std::ranges::find(kOptionNames, name, &SbatchOptionName::name);
  if (known == kOptionNames.end()) return {};
  const std::string bare(name);
  if (value.empty() && known->value == ValueUse::required)
    return refuse("sbatch's '--" + bare + "' needs a value", "write one, or remove it");
  if (!value.empty() && known->value == ValueUse::none)
    return refuse("sbatch's '--" + bare + "' takes no value", "write " + bare + ": \"\"");
  return {};
}

}  // namespace ddp::cli
