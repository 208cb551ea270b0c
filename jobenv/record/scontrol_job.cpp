#include "jobenv/record/scontrol_job.hpp"

#include <algorithm>

#include "ddp/jobenv/whole_number.hpp"

namespace ddp {
namespace {

/// The value of the first `NAME=`.
std::string field_of(std::string_view line, std::string_view name) {
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    const std::string_view word = line.substr(start, end - start);
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return std::string(word.substr(name.size() + 1));
    start = end + 1;
  }
  return {};
}

/// What stands for no value.
std::string text_of_value(std::string_view line, std::string_view name) {
  auto value = field_of(line, name);
  return value == "(null)" ? std::string() : value;
}

std::string time_of_event(std::string_view line, std::string_view name) {
  auto time = field_of(line, name);
  return time == "None" || time == "Unknown" || time == "N/A" ? std::string() : time;
}

}  // namespace

std::optional<ScontrolJob> parse_scontrol_job(std::string_view text) {
  auto line = text.substr(0, text.find('\n'));
  for (; field_of(line, "JobState").empty(); line = text.substr(0, text.find('\n'))) {
    if (line.size() == text.size()) return std::nullopt;
    text.remove_prefix(line.size() + 1);
  }
  const auto comment = field_of(line, "Comment");
  // A comment may hold text that looks like a field. The fields that are read stand before it.
  line = line.substr(0, line.find(" Comment="));
  ScontrolJob job{.id = field_of(line, "JobId"), .state = field_of(line, "JobState")};
  job.array_id = field_of(line, "ArrayJobId");
  job.array_task_id = field_of(line, "ArrayTaskId");
  job.reason = field_of(line, "Reason");
  job.comment = comment;
  const auto user = field_of(line, "UserId");  // alice(1000)
  job.user = user.substr(0, user.find('('));
  job.name = field_of(line, "JobName");
  job.start = field_of(line, "StartTime");
  job.end = field_of(line, "EndTime");
  job.submitted = field_of(line, "SubmitTime");
  job.preempted = time_of_event(line, "PreemptTime");
  job.exit_code = field_of(line, "ExitCode");
  job.excluded = text_of_value(line, "ExcNodeList");
  if (const auto requeue = field_of(line, "Requeue"); !requeue.empty()) job.may_requeue = requeue != "0";
  job.restarts = static_cast<int>(parse_whole_number(field_of(line, "Restarts")).value_or(0));
  return job;
}

std::string single_percent(std::string path) {
  for (std::size_t at = 0; (at = path.find("%%", at)) != path.npos; ++at) path.erase(at, 1);
  return path;
}

std::vector<std::string> render_early_start(const std::string& job) {
  return {"scontrol", "update", "JobId=" + job, "StartTime=now+2"};
}

}  // namespace ddp
