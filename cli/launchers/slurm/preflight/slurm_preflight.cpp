#include "cli/launchers/slurm/preflight/slurm_preflight.hpp"

#include <algorithm>
#include <array>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/preflight/limits_check.hpp"
#include "cli/launchers/slurm/preflight/srun_check.hpp"
#include "cli/launchers/slurm/submission/sbatch_answer.hpp"
#include "cli/launchers/slurm/submission/slurm_submission.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kTestTimeout{30};

struct RefusalRow {
  SlurmSays words;
  std::string_view key;  ///< that they are about; empty: none
  std::string_view hint;
};

/// What to do about words of sbatch --test-only.
constexpr auto kRefusals = std::to_array<RefusalRow>({
    {SlurmSays::invalid_account, "slurm.account",
     "set slurm.account; to list yours: sacctmgr show associations user=$USER format=account,partition,qos"},
    {SlurmSays::invalid_qos, "slurm.qos",
     "to list yours: sacctmgr show associations user=$USER format=account,qos"},
    {SlurmSays::account_limit, "sweep",
     "your account limits the number of queued jobs, and each point is one job; see: sacctmgr show "
     "associations user=$USER format=account,maxsubmit"},
    {SlurmSays::qos_limit, "sweep",
     "the QOS limits the number of queued jobs, and each point is one job; see: sacctmgr show qos "
     "format=name,maxsubmitpu"},
    {SlurmSays::against_policy, "", "your account or QOS has a limit; see: sacctmgr show qos"},
    {SlurmSays::invalid_time_limit, "resources.time", "set resources.time within the limit of the partition"},
    {SlurmSays::no_time_limit, "resources.time", "set resources.time"},
    {SlurmSays::invalid_feature, "slurm.constraint",
     "to list the features of the nodes: sinfo --format='%N %f'"},
    {SlurmSays::invalid_node, "slurm.nodelist", "to list the nodes: sinfo --Node"},
    {SlurmSays::node_not_in_partition, "slurm.nodelist", "to list the nodes of each partition: sinfo --Node"},
    {SlurmSays::bad_reservation, "slurm.reservation", "to list reservations: scontrol show reservation"},
    {SlurmSays::reservation_denied, "slurm.reservation", "to list reservations: scontrol show reservation"},
    {SlurmSays::group_not_permitted, "slurm.partition", "choose another partition: sinfo --summarize"},
    {SlurmSays::partition_down, "slurm.partition", "choose another partition: sinfo --summarize"},
    {SlurmSays::dependency_problem, "slurm.dependency",
     "set slurm.dependency to jobs of this cluster; to list yours: squeue --me"},
    {SlurmSays::invalid_license, "slurm.options.licenses", "to list licenses: scontrol show licenses"},
});

bool names_several_qos(const RunSpec& spec) {
  const auto& qos = options_of<SlurmOptions>(spec).qos;
  return qos && qos->find(',') != std::string::npos;
}

/// Options are newer than some versions of Slurm.
void point_at_option(std::string_view behind, const RunSpec& spec, Error& error) {
  const std::string option(behind.substr(0, behind.find_first_of("='")));
  const std::string key = option == "segment" ? "slurm.segment" : "slurm.options." + option;
  error.message = error.message.substr(0, error.message.find('\n'));  // the second line advises --help
  error.where = spec.origins.mark(key);
  error.hint = "take out " + key + ": sbatch on this host does not know --" + option;
  if (option == "segment") error.hint += ", which needs Slurm 24.05 or later";
}

Error refused_by_slurm(const std::string& words, const RunSpec& spec) {
  Error error{ExitCode::preflight_failed, "Slurm would not run this: " + words};
  if (const auto option = behind_slurm_words(SlurmSays::unknown_option, words))
    point_at_option(*option, spec, error);
  const auto row = std::ranges::find_if(
      kRefusals, [&](const RefusalRow& known) { return slurm_says(known.words, words); });
  if (row == kRefusals.end()) return error;
  error.hint = row->hint;
  if (row->words == SlurmSays::invalid_qos && names_several_qos(spec))
    error.hint += "; a list of several needs Slurm 24.11 or later";
  error.where = spec.origins.mark(std::string(row->key));
  return error;
}

Error out_of_reach(const std::string& words) {
  const auto* hint = says_no_configuration(words)
                         ? "submit from a host of the cluster, or set SLURM_CONF; here: launcher=local"
                         : "nothing was submitted; try again";
  return {ExitCode::preflight_failed, "Slurm cannot be reached: " + explain_failure(words), hint};
}

/// What Slurm says, too, when the nodes that a run needs are there, but not in service.
constexpr auto kNotNow = std::to_array<SlurmSays>(
    {SlurmSays::no_such_nodes, SlurmSays::partition_too_small, SlurmSays::partition_down});

bool may_be_for_now(const std::string& words) {
  return std::ranges::any_of(kNotNow, [&](SlurmSays known) { return slurm_says(known, words); });
}

/// Whether a partition that the run may go to has nodes that take no jobs at present.
bool lacks_nodes_now(const RunSpec& spec, const SlurmTools& tools) {
  const auto where = options_of<SlurmOptions>(spec).partition
                         ? "--partition=" + *options_of<SlurmOptions>(spec).partition
                         : "--all";
  const auto result =
      tools.ask({"sinfo", "--noheader", "--states=down,drain,fail,maint,unknown", "--format=%D", where});
  return result && result->succeeded() && result->out.find_first_of("123456789") != std::string::npos;
}

/// Slurm queues what its default partition will never start.
void warn_of_default(const LimitsCheck& known, Preflight& found) {
  for (const Error& error : known.of_default)
    found.warnings.push_back(error.message + "; Slurm uses it by default: " + error.hint);
}

void test_submission(const LaunchRequest& request, const LimitsCheck& known, const SlurmTools& tools,
                     Preflight& found) {
  auto argv = sbatch_argv("--test-only", request);
  if (!argv) return found.errors.push_back(argv.error());
  argv->emplace_back("--wrap=true");
  const auto result =
      tools.submit({.argv = std::move(*argv), .environment = request.environment, .timeout = kTestTimeout});
  if (!result) return found.errors.push_back(result.error());
  if (result->succeeded()) return warn_of_default(known, found);
  const auto words = trim_end(result->err);
  if (result->end != CommandResult::End::exited) return found.errors.push_back(out_of_reach(words));
  if (slurm_says(SlurmSays::queue_is_full, words)) {
    found.warnings.emplace_back("the queue of the cluster is full: it may refuse the run");
    return;
  }
  // It holds them against the run whatever the QOS allows.
  if (known.limits == Limits::lifted && may_be_for_now(words)) {
    found.warnings.push_back(known.broken.front().message +
                             "; the run waits, unless its QOS lifts that limit");
    return;
  }
  if (may_be_for_now(words) && !known.of_default.empty()) {
    found.errors = known.of_default;
    return;
  }
  if (known.limits == Limits::kept && may_be_for_now(words) && lacks_nodes_now(request.spec, tools)) {
    found.warnings.push_back(
        "the run will wait: nodes are down, drained or not yet registered (Slurm: " + words + ")");
    return;
  }
  // Nothing is queued by this question, so words that nobody knows are a refusal, too.
  const auto failure = classify_submit_failure(result->code, words);
  const bool lost = failure == SubmitFailure::lost || failure == SubmitFailure::not_queued;
  found.errors.push_back(lost ? out_of_reach(words) : refused_by_slurm(words, request.spec));
}

Expected<LimitsCheck> ask_for_limits(const LaunchRequest& request, const SlurmTools& tools) {
  const auto result =
      tools.ask({"sinfo", "--all", "--exact", "--noheader", "--format=" + std::string(kNodeGroupFormat)});
  if (!result) return LimitsCheck{};
  if (!result->succeeded()) {
    // sbatch would wait for the same controller once more.
    const auto words = trim_end(result->err);
    if (is_silence(*result) || says_no_configuration(words)) return tl::unexpected(out_of_reach(words));
    return LimitsCheck{};
  }
  const auto cluster = parse_node_groups(result->out);
  return cluster.empty() ? LimitsCheck{} : check_limits(request.spec, cluster, tools);
}

}  // namespace

Preflight check_with_slurm(const LaunchRequest& request, const SlurmTools& tools) {
  if (auto there = tools.find(); !there) return {.errors = {there.error()}, .warnings = {}};
  auto known = ask_for_limits(request, tools);
  if (!known) return {.errors = {known.error()}, .warnings = {}};
  // Slurm names no limit, and one reason at most.
  if (known->limits == Limits::broken) return {.errors = std::move(known->broken), .warnings = {}};
  Preflight found;
  test_submission(request, *known, tools, found);
  if (auto objection = find_srun_objection(request.spec, tools))
    found.warnings.push_back(std::move(*objection));
  return found;
}

}  // namespace ddp::cli
