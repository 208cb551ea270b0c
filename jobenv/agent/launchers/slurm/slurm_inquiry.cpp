#include "jobenv/agent/launchers/slurm/slurm_inquiry.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

#include "ddp/jobenv/host_list.hpp"
#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/scontrol_job.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::agent {
namespace {

/// One second in all: a word that is lost is no reason to wait.
constexpr std::chrono::milliseconds kNoticePause{100};
constexpr int kMostNoticeLooks = 10;

/// A controller that is silent now must not keep the nodes of a job that it has requeued, nor those of one
/// that begins.
constexpr std::chrono::seconds kPatience{10};

/// Slurm versions differ in whether another field follows, and whether a percent sign is doubled as in the
/// script.
bool prints_to(const std::string& output, const std::string& report) {
  const auto field = " StdOut=" + single_percent(output);
  const auto text = single_percent(report) + '\n';
  const auto at = text.find(field);
  return at != text.npos && std::isspace(static_cast<unsigned char>(text[at + field.size()])) != 0;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

void SlurmInquiry::ask(OnFate on_fate) {
  run(render_report_argv(job_), [this, on_fate = std::move(on_fate)](const ToolAnswer& answer) {
    tell(answer.succeeded ? parse_job_report(answer.text) : std::nullopt, on_fate, kMostNoticeLooks);
  });
}

/// The controller knows of the end before slurmstepd has heard of it and says why.
void SlurmInquiry::tell(const std::optional<JobReport>& report, const OnFate& on_fate, int more_looks) {
  const auto notice = notices_.read();
  const JobFate fate = interpret_report(report, job_.restart_count, notice);
  const bool ends = fate == JobFate::taken_back || fate == JobFate::evicted;
  awaits_notice_ = ends && !notice && !taken_back_ && more_looks > 0;
  if (awaits_notice_) {
    notice_timer_ = loop_.after(kNoticePause, [=, this] { tell(report, on_fate, more_looks - 1); });
    return;
  }
  taken_back_ |= fate == JobFate::taken_back;
  if (report) end_time_ = fate == JobFate::running ? report->end_time : std::nullopt;
  on_fate(taken_back_ ? JobFate::taken_back : fate);
}

void SlurmInquiry::requeue(ToolQuery::OnAnswer on_answer) {
  run(render_requeue_argv(job_), std::move(on_answer));
}

/// The answer does not matter: where Slurm refuses, the job waits longer, two minutes by default.
void SlurmInquiry::hasten_start(std::function<void()> on_done) {
  patience_ = loop_.after(kPatience, on_done);
  run(render_early_start(job_.control_id), [this, on_done = std::move(on_done)](const ToolAnswer&) {
    loop_.cancel(patience_);
    on_done();
  });
}

/// Ids are used again: where its script prints tells whether it is the job that is meant.
void SlurmInquiry::find_running(const std::string& job, const std::string& output, OnRunning on_running) {
  patience_ = loop_.after(kPatience, [this, on_running] {
    query_.reset();
    on_running(false);
  });
  const auto take = [this, output, on_running = std::move(on_running)](const ToolAnswer& answer) {
    loop_.cancel(patience_);
    const auto report = answer.succeeded ? parse_job_report(answer.text) : std::nullopt;
    on_running(report && goes_on(*report) && prints_to(output, answer.text));
  };
  run({"scontrol", "--oneliner", "show", "job", job}, take);
}

void SlurmInquiry::find_lost_nodes(OnHosts on_hosts) {
  run(render_lost_nodes_argv(job_), [this, on_hosts = std::move(on_hosts)](const ToolAnswer& answer) {
    const std::vector<std::string> words = split_words(answer.text);  // a line for each partition of a node
    std::vector<std::string> lost;
    std::ranges::copy_if(job_.hosts, std::back_inserter(lost), [&words](const std::string& host) {
      return std::ranges::find(words, host) != words.end();
    });
    on_hosts(answer.succeeded ? lost : std::vector<std::string>{});
  });
}

void SlurmInquiry::exclude(const std::vector<std::string>& hosts, const std::string& script,
                           OnExcluded on_excluded) {
  const auto take = [this, hosts, script, on_excluded](const ToolAnswer& answer) {
    const auto report = answer.succeeded ? parse_job_report(answer.text) : std::nullopt;
    if (!report) return on_excluded("Slurm does not answer");
    const std::string list = HostList(hosts).compress();
    try_without(report->excluded.empty() ? list : report->excluded + "," + list, script, on_excluded);
  };
  run(render_report_argv(job_), take);
}

/// A trial may be refused for other reasons: the job itself uses up a limit of its owner.
void SlurmInquiry::try_without(const std::string& list, const std::string& script,
                               const OnExcluded& on_excluded) {
  const auto update = [this, list, on_excluded](const ToolAnswer& trial) {
    if (!trial.succeeded && slurm_says(SlurmSays::no_such_nodes, trial.text))
      return on_excluded("Slurm cannot start the job without it");
    run(render_exclude_argv(job_, list), [on_excluded](const ToolAnswer& answer) {
      on_excluded(answer.succeeded ? std::string() : "Slurm refused: " + std::string(last_line(answer.text)));
    });
  };
  run(render_trial_argv(script, list), update);
}

void SlurmInquiry::ask_deadline(OnDeadline on_deadline) {
  deadline_query_ = std::make_unique<DeadlineQuery>(loop_, environment_, job_.id, std::move(on_deadline));
}

void SlurmInquiry::run(std::vector<std::string> argv, ToolQuery::OnAnswer on_answer) {
  loop_.cancel(notice_timer_);
  awaits_notice_ = false;
  query_ = std::make_unique<ToolQuery>(loop_, std::move(argv), environment_of_tools(environment_),
                                       [this, on_answer = std::move(on_answer)](const ToolAnswer& answer) {
                                         query_.reset();
                                         on_answer(answer);
                                       });
}

}  // namespace ddp::agent
