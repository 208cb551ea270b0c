#include "cli/launchers/slurm/query/job_table.hpp"

#include <algorithm>
#include <charconv>

#include "cli/launchers/slurm/query/clock_skew.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "jobenv/record/ledger/submission_token.hpp"
#include "jobenv/record/scontrol_job.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {
namespace {

using Instant = std::optional<std::chrono::system_clock::time_point>;

// Two calls of sbatch, and what lies between them, take less.
constexpr std::chrono::minutes kLongestSubmission{10};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Cuts the part before `separator` off `text`; all of it when there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// nullopt for N/A, Unknown and None.
Instant parse_instant(std::string_view seconds) {
  const auto number = parse_number(seconds);
  if (!number || *number == 0 || *number > 9'000'000'000) return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::seconds(*number));
}

/// "3", "1-9" or "1-9:2".
bool range_holds(std::string_view range, std::uint64_t task) {
  const auto first = parse_number(take_until(range, '-'));
  if (!first) return false;
  if (range.empty()) return task == *first;
  const auto last = parse_number(take_until(range, ':'));
  const auto step = range.empty() ? std::optional<std::uint64_t>(1) : parse_number(range);
  return last && step && *step > 0 && task >= *first && task <= *last && (task - *first) % *step == 0;
}

/// "1-9:2,20%4": at most four of them run at once.
bool tasks_hold(std::string_view tasks, std::uint64_t task) {
  tasks = tasks.substr(0, tasks.find('%'));
  while (!tasks.empty()) {
    if (range_holds(take_until(tasks, ','), task)) return true;
  }
  return false;
}

bool is_same(const std::string& recorded, const std::string& told) {
  return recorded.empty() || recorded == told;  // what a damaged ledger does not tell is not compared
}

bool was_submitted_with(const RunStatus& run, const Instant& time) {
  if (!run.submitted || !time) return true;
  return *time >= *run.submitted - kClockSkew && *time <= *run.submitted + kLongestSubmission + kClockSkew;
}

bool was_requeued(const SlurmJob& job, const RunStatus& run) {
  return job.restarts > 0 || run.requeued || (!run.attempts.empty() && run.attempts.back().restart_count > 0);
}

bool is_time_of(const RunStatus& run, const SlurmJob& job) {
  if (was_submitted_with(run, job.submitted) || was_submitted_with(run, job.first_submitted)) return true;
  return was_requeued(job, run) && *job.submitted > *run.submitted;
}

/// There are sites that write their own comments: without our mark the rest has to be the run's.
bool is_job_of(const RunStatus& run, const SlurmJob& job) {
  const auto token = token_of_comment(job.comment);
  if (token && !run.token.empty()) return *token == run.token;
  const auto& name = run.job_name.empty() ? run.name : run.job_name;
  return is_same(run.user, job.user) && is_same(name, job.name) && is_time_of(run, job);
}

void add_under_both(std::string_view id, std::string_view raw_id, SlurmJob job, JobTable& table) {
  // A task of an array has an id of its own, too; its last one, and tasks that wait, have the array's.
  const bool distinct = raw_id != id.substr(0, id.find('_'));
  if (distinct) table.add(raw_id, job);
  table.add(id, std::move(job));
}

std::string array_id(std::string_view array, std::string_view tasks) {
  const bool one = parse_number(tasks).has_value();
  return std::string(array) + (one ? "_" : "_[") + std::string(tasks) + (one ? "" : "]");
}

/// Lines of an id, the job's own number, its state, and what `read_rest` takes from there.
template <class ReadRest>
JobTable parse_rows(std::string_view text, ReadRest read_rest) {
  JobTable table;
  while (!text.empty()) {
    auto line = take_until(text, '\n');
    const auto id = take_until(line, '|');
    const auto raw_id = take_until(line, '|');
    SlurmJob job{.word = std::string(take_until(line, '|'))};
    read_rest(line, job);
    if (parse_number(raw_id) && !job.word.empty()) add_under_both(id, raw_id, std::move(job), table);
  }
  return table;
}

}  // namespace

void JobTable::add(std::string_view id, SlurmJob job) {
  const auto bracket = id.find("_[");
  job.first_submitted = job.submitted;
  if (bracket == std::string_view::npos) {
    if (const auto known = jobs_.find(id); known != jobs_.end() && known->second.name == job.name)
      job.first_submitted = known->second.first_submitted;
    jobs_.insert_or_assign(std::string(id), std::move(job));
    return;
  }
  const auto tasks = id.substr(bracket + 2);
  shared_.push_back(
      {std::string(id.substr(0, bracket)), std::string(tasks.substr(0, tasks.find(']'))), std::move(job)});
}

const SlurmJob* JobTable::find(const RunStatus& run) const {
  const auto* job = find_id(run.job_id);
  return job != nullptr && is_job_of(run, *job) ? job : nullptr;
}

bool JobTable::holds(const RunStatus& run) const {
  if (find(run) != nullptr) return true;
  const auto prefix = run.job_id + "_";
  const bool among_tasks = std::ranges::any_of(
      jobs_, [&](const auto& row) { return row.first.starts_with(prefix) && is_job_of(run, row.second); });
  return among_tasks || std::ranges::any_of(shared_, [&](const SharedRow& row) {
           return row.array == run.job_id && is_job_of(run, row.job);
         });
}

const SlurmJob* JobTable::find_id(std::string_view id) const {
  if (const auto job = jobs_.find(id); job != jobs_.end()) return &job->second;
  const auto array = take_until(id, '_');
  const auto task = parse_number(id);
  if (!task) return nullptr;
  const auto row = std::ranges::find_if(shared_, [array, &task](const SharedRow& shared) {
    return shared.array == array && tasks_hold(shared.tasks, *task);
  });
  return row == shared_.end() ? nullptr : &row->job;
}

JobTable parse_squeue(std::string_view text) {
  return parse_rows(text, [](std::string_view line, SlurmJob& job) {
    job.start = parse_instant(take_until(line, '|'));
    job.end = parse_instant(take_until(line, '|'));
    job.reason = take_until(line, '|');
    job.submitted = parse_instant(take_until(line, '|'));
    job.user = take_until(line, '|');
    job.name = take_until(line, '|');
    job.comment = line;
  });
}

JobTable parse_scontrol_jobs(std::string_view text) {
  JobTable table;
  while (!text.empty()) {
    const auto line = take_until(text, '\n');
    const auto told = parse_scontrol_job(line);
    if (!told || !parse_number(told->id)) continue;
    SlurmJob job{.word = told->state,
                 .reason = told->reason,
                 .comment = told->comment,
                 .user = told->user,
                 .name = told->name,
                 .start = parse_instant(told->start),
                 .end = parse_instant(told->end),
                 .submitted = parse_instant(told->submitted),
                 .may_requeue = told->may_requeue,
                 .restarts = told->restarts};
    std::string_view exit_code = told->exit_code;
    if (const auto code = parse_number(take_until(exit_code, ':'))) job.exit_code = static_cast<int>(*code);
    const std::string& raw_id = told->id;
    const auto id = told->array_id.empty() ? raw_id : array_id(told->array_id, told->array_task_id);
    add_under_both(id, raw_id, std::move(job), table);
  }
  return table;
}

JobTable parse_sacct(std::string_view text) {
  return parse_rows(text, [](std::string_view line, SlurmJob& job) {
    job.submitted = parse_instant(take_until(line, '|'));
    job.end = parse_instant(take_until(line, '|'));
    job.user = take_until(line, '|');
    job.name = take_until(line, '|');
    job.comment = line;
  });
}

bool says_no_such_job(std::string_view slurm_stderr) {
  return slurm_says(SlurmSays::no_such_job, slurm_stderr);
}

bool says_no_accounting(std::string_view slurm_stderr) {
  return slurm_says(SlurmSays::no_accounts, slurm_stderr);
}

}  // namespace ddp::cli
