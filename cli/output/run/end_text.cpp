#include "cli/output/run/end_text.hpp"

#include <fmt/format.h>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {
namespace {

bool has_ended_badly(const RunStatus& status) {
  return is_final(status.state) && status.state != RunState::succeeded;
}

/// Whether the next sentence begins behind the full stop at `at`: there are versions and names of files, too.
bool ends_sentence(std::string_view message, std::size_t at) {
  return message.substr(at, 2) == ". " && at + 2 < message.size() && message[at + 2] >= 'A' &&
         message[at + 2] <= 'Z';
}

std::string render_look(const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  const auto& cause = run.status.cause;
  if (cause && cause->rank) {
    const auto logs = fmt::format("ddpsubmit logs {} --rank {}", id, *cause->rank);
    if (!cause->stderr_tail.empty())
      return fmt::format("{} --stderr (all of the stderr of rank {})", logs, *cause->rank);
    if (run.cause_printed) return fmt::format("{} (what rank {} printed)", logs, *cause->rank);
  }
  return fmt::format("ddpsubmit describe {} (all that is known of the run)", id);
}

bool has_code(const RunStatus& status, ExitCode code) {
  return status.cause && status.cause->code == static_cast<int>(code);
}

/// A training that ended early resumes from its newest checkpoint, if that can be read.
bool can_resume(const KnownRun& run) {
  return run.checkpoint && has_ended_badly(run.status) &&
         !has_code(run.status, ExitCode::no_valid_checkpoint);
}

std::string render_resume(const KnownRun& run) {
  auto rerun =
      fmt::format("ddpsubmit rerun {} (resumes from step {})", run.pointer.run_id, run.checkpoint->step);
  if (!has_code(run.status, ExitCode::config_invalid)) return rerun;
  return fmt::format("correct the cause (see {}/spec.yaml), then {}", run.pointer.run_dir, rerun);
}

/// The restarts that the file asks for have not helped.
bool was_given_up(const RunStatus& status) {
  return status.state == RunState::failed && status.attempts.size() > 1;
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view message) {
  std::vector<std::string> sentences;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (!ends_sentence(message, at)) continue;
    sentences.emplace_back(message.substr(begin, at - begin));
    begin = at + 2;
  }
  if (begin < message.size()) sentences.emplace_back(message.substr(begin));
  return sentences;
}

std::string find_likely_cause(const RunStatus& status) {
  return has_ended_badly(status) && status.cause ? likely_cause_of(*status.cause) : "";
}

std::string render_likely_cause(const RunStatus& status) {
  const auto likely = find_likely_cause(status);
  return likely.empty() ? "" : "likely cause: " + likely;
}

std::vector<std::string> render_next_steps(const KnownRun& run) {
  std::vector<std::string> steps;
  if (run.status.state == RunState::succeeded) return steps;
  const bool resumes = can_resume(run);
  if (!resumes || run.status.state == RunState::failed) steps.push_back(render_look(run));
  if (resumes) {
    steps.push_back(render_resume(run));
  } else if (was_given_up(run.status)) {
    steps.push_back(fmt::format("correct the cause, then ddpsubmit rerun {}", run.pointer.run_id));
  }
  return steps;
}

}  // namespace ddp::cli
