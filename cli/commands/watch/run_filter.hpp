#pragma once

#include <set>
#include <string>

#include "cli/commands/command.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

inline constexpr Option kStateOption{
    "--state", "STATES", "only runs in one of these states, for example queued,running", WordKind::states};
inline constexpr Option kNameOption{"--name", "TEXT", "only runs with TEXT in their name",
                                    WordKind::run_name};

/// Which runs are wanted.
struct RunFilter {
  std::set<RunState> states = {};  ///< empty: any
  std::string name_part = {};      ///< empty: any

  [[nodiscard]] bool wants_name_of(const RunPointer& run) const;
  [[nodiscard]] bool wants_state_of(const RunStatus& run) const;
  /// Why a list of runs is empty.
  [[nodiscard]] std::string render_no_match() const;
};

/// What kStateOption and kNameOption say. A word that names no state is a usage error that lists those there
/// are.
[[nodiscard]] Expected<RunFilter> parse_run_filter(const Arguments& arguments);

}  // namespace ddp::cli
