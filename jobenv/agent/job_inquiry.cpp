#include "jobenv/agent/job_inquiry.hpp"

namespace ddp::agent {

void JobInquiry::ask(OnFate on_fate) {
  run(render_report_argv(job_),
      [this, on_fate = std::move(on_fate)](const ToolAnswer& answer) { on_fate(take_fate(answer)); });
}

void JobInquiry::requeue(ToolQuery::OnAnswer on_answer) {
  run(render_requeue_argv(job_), std::move(on_answer));
}

void JobInquiry::run(std::vector<std::string> argv, ToolQuery::OnAnswer on_answer) {
  query_ = std::make_unique<ToolQuery>(loop_, std::move(argv), environment_,
                                       [this, on_answer = std::move(on_answer)](const ToolAnswer& answer) {
                                         query_.reset();
                                         on_answer(answer);
                                       });
}

JobFate JobInquiry::take_fate(const ToolAnswer& answer) {
  const auto report = answer.succeeded ? parse_job_report(answer.text) : std::nullopt;
  const JobFate fate = interpret_report(report, job_.restart_count, notices_.read());
  taken_back_ |= fate == JobFate::taken_back;
  return taken_back_ ? JobFate::taken_back : fate;
}

}  // namespace ddp::agent
