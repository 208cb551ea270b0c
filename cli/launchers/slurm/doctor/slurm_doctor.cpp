#include "cli/launchers/slurm/doctor/slurm_doctor.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>

#include "cli/doctor/amount_text.hpp"
#include "cli/launchers/slurm/doctor/partition_table.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/query/slurm_config.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

std::string words_of(const Expected<CommandResult>& result) {
  if (!result) return result.error().message;
  if (result->end == CommandResult::End::timed_out) return "no answer in time";
  const auto words = trim_end(result->err.empty() ? result->out : result->err);
  if (says_no_configuration(words)) return explain_failure(words);
  return words.substr(0, words.find('\n'));
}

/// Why Slurm is not asked, when it is not needed; nullopt: it is asked.
std::optional<Finding> reason_to_skip(const CheckSubject& subject) {
  const auto skip = [](std::string why) {
    return Finding{.verdict = Verdict::skipped, .found = std::move(why)};
  };
  if (subject.wants(SlurmOptions::kLauncher)) return std::nullopt;
  if (subject.spec != nullptr) return skip("this run does not use Slurm");
  const SlurmTools tools(subject.seams);
  if (!tools.find())
    return skip("no Slurm on this host: sbatch is not installed; only launcher: slurm needs it");
  const auto version = tools.ask({"sbatch", "--version"});
  if (version && !version->succeeded() && says_no_configuration(version->err))
    return skip(
        "no Slurm cluster: sbatch is installed here, but there is no slurm.conf; only launcher: slurm needs "
        "it");
  return std::nullopt;
}

/// The same, of a check behind the first one, which has given the reason.
std::optional<Finding> reason_to_skip_question(const CheckSubject& subject) {
  auto skipped = reason_to_skip(subject);
  if (skipped && subject.spec == nullptr) skipped->found = "no Slurm cluster on this host";
  return skipped;
}

Finding failed(const std::string& found, const std::string& advice) {
  return {.verdict = Verdict::error, .found = found, .advice = advice};
}

/// A credential goes into a file, and is read back: munged must answer twice.
Expected<CommandResult> pass_through_munge(const SlurmTools& tools, const fs::path& file) {
  auto made = tools.ask({"munge", "--no-input", "--output=" + file.string()});
  if (!made || !made->succeeded()) return made;
  return tools.ask({"unmunge", "--input=" + file.string(), "--no-output"});
}

Finding check_slurm_tools(const CheckSubject& subject) {
  if (auto skipped = reason_to_skip(subject)) return *skipped;
  const SlurmTools tools(subject.seams);
  if (const auto found = tools.find(); !found) return failed(found.error().message, found.error().hint);
  const auto version = tools.ask({"sbatch", "--version"});
  if (version && version->succeeded()) return {.found = trim_end(version->out)};
  const bool no_cluster = version && says_no_configuration(version->err);
  return failed("sbatch --version: " + words_of(version),
                no_cluster ? "submit from a host of the cluster, or set SLURM_CONF"
                           : "is Slurm installed as a whole here?");
}

Finding try_munge(const CheckSubject& subject) {
  if (!resolve_program("munge", subject.seams.submitter))
    return {.verdict = Verdict::skipped, .found = "munge is not installed here"};
  std::string scratch = fs::temp_directory_path() / "ddpsubmit-munge-XXXXXX";
  if (mkdtemp(scratch.data()) == nullptr)
    return {.verdict = Verdict::skipped, .found = "cannot create a temporary file"};
  const auto result = pass_through_munge(SlurmTools(subject.seams), fs::path(scratch) / "credential");
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  if (result && result->succeeded()) return {.found = "a credential was made and read back"};
  return failed(words_of(result), "munged must run on this host for Slurm to work: tell the administrators");
}

/// Where Slurm vouches for its users itself (auth/slurm), munge need not run, or be there.
Finding check_munge(const CheckSubject& subject) {
  if (auto skipped = reason_to_skip_question(subject)) return *skipped;
  auto finding = try_munge(subject);
  if (finding.verdict == Verdict::ok) return finding;
  const auto config = ask_slurm_config(SlurmTools(subject.seams));
  if (!config || config->auth_type.empty() || config->auth_type == "auth/munge") return finding;
  return {.verdict = Verdict::skipped, .found = "not needed: this cluster has AuthType=" + config->auth_type};
}

Finding check_controller(const CheckSubject& subject) {
  if (auto skipped = reason_to_skip_question(subject)) return *skipped;
  const SlurmTools tools(subject.seams);
  const auto start = tools.clock().steady();
  const auto result = tools.ask({"scontrol", "ping"});
  const std::chrono::duration<double> taken = tools.clock().steady() - start;
  const bool up = result && result->succeeded() && slurm_says(SlurmSays::controller_is_up, result->out);
  if (result && says_no_configuration(result->err)) return failed("there is no cluster to ask", "");
  if (!up)
    return failed(words_of(result), "the cluster accepts no jobs now: try later, or tell the administrators");
  return {.found = fmt::format("{}, answered in {}", words_of(result), render_seconds(taken.count()))};
}

Finding check_partitions(const CheckSubject& subject) {
  if (auto skipped = reason_to_skip_question(subject)) return *skipped;
  const SlurmTools tools(subject.seams);
  std::vector<std::string> question{"sinfo", "--noheader", "--exact",
                                    "--format=" + std::string(kNodeGroupFormat)};
  if (subject.wants(SlurmOptions::kLauncher)) question.emplace_back("--all");
  const auto result = tools.ask(std::move(question));
  if (!result || !result->succeeded())
    return failed("sinfo: " + words_of(result), "try again when the controller answers");
  const auto cluster = parse_node_groups(result->out);
  const bool hold = subject.wants(SlurmOptions::kLauncher) && !cluster.empty();
  auto finding =
      judge_partitions(cluster, hold ? check_limits(*subject.spec, cluster, tools) : LimitsCheck{});
  std::vector<std::string> argv{"sinfo", "--noheader", "--exact", "--states=down,drain,fail,maint",
                                "--format=" + std::string(kOutOfServiceFormat)};
  if (subject.wants(SlurmOptions::kLauncher) && options_of<SlurmOptions>(*subject.spec).partition)
    argv.push_back("--partition=" + *options_of<SlurmOptions>(*subject.spec).partition);
  const auto others = tools.ask(std::move(argv));
  if (others && others->succeeded()) add_out_of_service(parse_out_of_service(others->out), finding);
  return finding;
}

}  // namespace

std::vector<Check> slurm_checks() {
  return {
      {"Slurm tools", check_slurm_tools},
      {"munge", check_munge},
      {"controller", check_controller},
      {"partitions", check_partitions, "controller", "not asked: the controller does not answer"},
  };
}

}  // namespace ddp::cli
