#include "cli/launch/slurm/token_lookup.hpp"

#include <algorithm>
#include <optional>

#include "cli/script/sbatch_options.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

constexpr seconds kMoment{2};
constexpr int kAnswersOfAbsence = 2;

bool knows_all(const JobsByToken& jobs, std::span<const std::string> tokens) {
  return std::ranges::all_of(tokens, [&](const std::string& token) { return jobs.contains(token); });
}

std::vector<JobSighting> sightings_of(const JobsByToken& jobs, std::span<const std::string> tokens) {
  std::vector<JobSighting> sightings;
  for (const auto& token : tokens) {
    const auto found = jobs.find(token);
    if (found == jobs.end()) {
      sightings.push_back({.presence = JobPresence::absent});
    } else {
      const auto& ids = found->second;
      sightings.push_back(
          {.presence = JobPresence::found, .job_id = ids.front(), .twins = {ids.begin() + 1, ids.end()}});
    }
  }
  return sightings;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// By number, which is the order in which they were submitted.
bool is_older(const std::string& left, const std::string& right) {
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

void add_job(std::string_view line, JobsByToken& jobs) {
  const auto separator = line.find('|');
  if (separator == line.npos) return;
  const auto id = line.substr(0, separator);
  const auto token = token_of_comment(line.substr(separator + 1));
  if (!is_number(id) || !token) return;
  auto& ids = jobs[*token];
  const std::string job(id);
  if (std::ranges::find(ids, job) == ids.end()) ids.insert(std::ranges::upper_bound(ids, job, is_older), job);
}

}  // namespace

JobsByToken parse_job_tokens(std::string_view text) {
  JobsByToken jobs;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    add_job(text.substr(0, end), jobs);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return jobs;
}

Expected<JobsByToken> ask_for_tokens(const SlurmTools& tools) {
  const auto result = tools.ask(
      {"squeue", "--me", "--noheader", "--all", "--states=all", "--format=" + std::string(kTokenFormat)});
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded()) return parse_job_tokens(result->out);
  const auto words = trim_end(result->err);
  return fail(ExitCode::outcome_unknown, words.empty() ? "squeue gave no answer" : words);
}

std::vector<JobSighting> look_for_jobs(std::span<const std::string> tokens, seconds patience,
                                       const SlurmTools& tools) {
  auto& clock = tools.clock();
  const auto deadline = clock.steady() + patience;
  for (int answers = 0;;) {
    const auto jobs = ask_for_tokens(tools);
    answers = jobs ? answers + 1 : 0;
    if (jobs && (knows_all(*jobs, tokens) || answers == kAnswersOfAbsence))
      return sightings_of(*jobs, tokens);
    const auto left = std::chrono::ceil<seconds>(deadline - clock.steady());
    if (!jobs && left <= seconds{0}) {
      return std::vector(
          tokens.size(),
          JobSighting{
              .presence = JobPresence::unknown, .job_id = {}, .twins = {}, .words = jobs.error().message});
    }
    if (!jobs) {
      tools.note("the controller does not answer; looking for the job for " + std::to_string(left.count()) +
                 " s more");
    }
    clock.sleep(kMoment);
  }
}

}  // namespace ddp::cli
