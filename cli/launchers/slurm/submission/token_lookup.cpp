#include "cli/launchers/slurm/submission/token_lookup.hpp"

#include <algorithm>
#include <optional>

#include "cli/launchers/slurm/query/clock_skew.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "cli/launchers/slurm/submission/sbatch_answer.hpp"
#include "cli/store/recorded_jobs.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/ledger/submission_token.hpp"
#include "jobenv/record/scontrol_job.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

constexpr seconds kBetweenLooks{2};
constexpr int kAnswersOfAbsence = 2;

bool knows_all(const JobsByToken& jobs, std::span<const LostJob> lost) {
  return std::ranges::all_of(lost, [&](const LostJob& job) { return jobs.contains(job.token); });
}

JobSighting sighting_of(const std::vector<std::string>& ids) {
  if (ids.empty()) return {.presence = JobPresence::absent};
  return {.presence = JobPresence::found, .job_id = ids.front(), .twins = {ids.begin() + 1, ids.end()}};
}

Expected<std::vector<JobLog>> ask_for_logs(std::span<const LostJob> lost, const SlurmTools& tools) {
  const auto result =
      tools.ask({"squeue", "--me", "--noheader", "--all", "--states=all", "--Format=" + log_format(lost)});
  if (result && result->succeeded()) return parse_job_logs(result->out);
  return fail(ExitCode::outcome_unknown, explain_failure(result));
}

/// Of what the controller has answered. Jobs without a token may be those whose comments were rewritten.
std::vector<JobSighting> sightings_of(const JobsByToken& jobs, std::span<const LostJob> lost,
                                      const SlurmTools& tools) {
  Expected<std::vector<JobLog>> logs;
  if (jobs.contains("") && !knows_all(jobs, lost)) logs = ask_for_logs(lost, tools);
  std::vector<JobSighting> sightings;
  for (const auto& job : lost) {
    const auto found = jobs.find(job.token);
    if (found != jobs.end()) {
      sightings.push_back(sighting_of(found->second));
    } else if (logs) {
      sightings.push_back(sighting_of(find_by_log(job, *logs, load_recorded_jobs(job.folder))));
    } else {
      sightings.push_back({.words = logs.error().message});
    }
  }
  return sightings;
}

/// By number, which is the order in which they were submitted.
bool is_lower(const std::string& left, const std::string& right) {
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

/// Cuts a field of squeue's --Format, which is filled up with blanks.
std::string_view take_field(std::string_view& line) {
  const auto field = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.find_first_not_of(' ', field.size()), line.size()));
  return field;
}

std::optional<JobLog> parse_log_line(std::string_view line) {
  const std::string id(take_field(line));
  const auto time = parse_whole_number(take_field(line));
  while (line.ends_with(' ')) line.remove_suffix(1);
  if (!is_job_number(id) || line.empty()) return std::nullopt;
  JobLog job{.job_id = id, .submitted = {}, .path = std::string(line)};
  if (time && *time > 0) job.submitted = std::chrono::system_clock::time_point(seconds(*time));
  return job;
}

void add_job(std::string_view line, JobsByToken& jobs) {
  const auto separator = line.find('|');
  if (separator == line.npos) return;
  const auto id = line.substr(0, separator);
  const auto token = token_of_comment(line.substr(separator + 1));
  if (!is_job_number(id)) return;
  jobs[token.value_or("")].emplace_back(id);
}

/// What the paths of the logs of a job begin with.
std::string log_prefix(const LostJob& lost) {
  return (lost.folder.root() / "logs" / "slurm-").string();
}

}  // namespace

JobsByToken parse_job_tokens(std::string_view text) {
  JobsByToken jobs;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    add_job(text.substr(0, end), jobs);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (auto& [token, ids] : jobs) {
    std::ranges::sort(ids, is_lower);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
  }
  return jobs;
}

std::string log_format(std::span<const LostJob> lost) {
  std::size_t width = 1;
  for (const auto& job : lost) {
    const auto prefix = log_prefix(job);
    width = std::max(width, prefix.size() + static_cast<std::size_t>(std::ranges::count(prefix, '%')));
  }
  return "ArrayJobID:24,SubmitTime:24,STDOUT:" + std::to_string(width);
}

std::vector<JobLog> parse_job_logs(std::string_view text) {
  std::vector<JobLog> logs;
  std::set<std::string> seen;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto job = parse_log_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (job && seen.insert(job->job_id).second) logs.push_back(std::move(*job));
  }
  return logs;
}

std::vector<std::string> find_by_log(const LostJob& lost, std::span<const JobLog> logs,
                                     const std::set<std::string>& recorded) {
  const auto begin = log_prefix(lost);
  std::vector<std::string> ids;
  for (const auto& job : logs) {
    if (recorded.contains(job.job_id) || !single_percent(job.path).starts_with(begin)) continue;
    const bool is_older = lost.since && job.submitted && *job.submitted < *lost.since - kClockSkew;
    if (!is_older) ids.push_back(job.job_id);
  }
  std::ranges::sort(ids, is_lower);
  return ids;
}

Expected<JobsByToken> ask_for_tokens(const SlurmTools& tools, JobsAsked asked) {
  std::vector<std::string> argv{"squeue", "--me", "--noheader", "--all"};
  if (asked == JobsAsked::known) argv.emplace_back("--states=all");
  argv.push_back("--format=" + std::string(kTokenFormat));
  const auto result = tools.ask(std::move(argv));
  if (result && result->succeeded()) return parse_job_tokens(result->out);
  return fail(ExitCode::outcome_unknown, explain_failure(result));
}

std::vector<JobSighting> look_for_jobs(std::span<const LostJob> lost, seconds patience,
                                       const SlurmTools& tools) {
  auto& clock = tools.clock();
  const auto deadline = clock.steady() + patience;
  for (int answers = 0;;) {
    const auto jobs = ask_for_tokens(tools);
    answers = jobs ? answers + 1 : 0;
    if (jobs && (knows_all(*jobs, lost) || answers == kAnswersOfAbsence))
      return sightings_of(*jobs, lost, tools);
    const auto left = std::chrono::ceil<seconds>(deadline - clock.steady());
    if (!jobs && left <= seconds{0}) {
      return std::vector(
          lost.size(),
          JobSighting{
              .presence = JobPresence::unknown, .job_id = {}, .twins = {}, .words = jobs.error().message});
    }
    if (!jobs) {
      tools.note("Slurm does not answer; looking for the job for " + std::to_string(left.count()) +
                 " s more");
    }
    clock.sleep(kBetweenLooks);
  }
}

}  // namespace ddp::cli
