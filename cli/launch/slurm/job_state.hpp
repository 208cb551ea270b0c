#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// A job's state in Slurm's words.
struct SlurmJobState {
  std::string word;    ///< RUNNING, COMPLETING, …
  std::string reason;  ///< why it waits, or None
  int restarts = 0;    ///< told by scontrol only
  bool operator==(const SlurmJobState&) const = default;
};

/// For `squeue --format`.
inline constexpr std::string_view kSqueueFormat = "%i|%T|%r";
/// Lines in that format, by job id. Lines of another form are passed over.
[[nodiscard]] std::map<std::string, SlurmJobState> parse_squeue(std::string_view text);

/// `scontrol show job --oneliner`.
[[nodiscard]] std::optional<SlurmJobState> parse_scontrol_job(std::string_view text);

/// Whether squeue or scontrol said that there is no such job, rather than that they could not ask.
[[nodiscard]] bool says_no_such_job(std::string_view slurm_stderr);

/// Whether ddp-agent has left a word in the ledger since the job was submitted.
enum class HeadTrace { none, started };

/// What a state of Slurm means for a run whose ledger has no end. Words that are not known give
/// RunState::unknown with the word.
[[nodiscard]] Observation interpret(const SlurmJobState& job, HeadTrace head);

/// A word of Slurm and the state that it means.
struct JobStateMeaning {
  std::string_view word;
  RunState state = RunState::unknown;
};
/// All words that interpret knows.
[[nodiscard]] std::vector<JobStateMeaning> known_job_states();

}  // namespace ddp::cli
