#pragma once

#include <set>
#include <string>

#include "cli/commands/command.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

inline constexpr Option kStateOption{"--state", "STATES",
                                     "only those in one of these, such as queued,running", WordKind::states};
inline constexpr Option kNameOption{"--name", "TEXT", "only those whose name holds this"};

/// Which runs are wanted.
struct RunFilter {
  std::set<RunState> states = {};  ///< empty: any
  std::string name_part = {};      ///< empty: any

  [[nodiscard]] bool wants_name_of(const RunPointer& run) const;
  [[nodiscard]] bool wants_state_of(const RunStatus& run) const;
  [[nodiscard]] bool takes_all() const { return states.empty() && name_part.empty(); }
};

/// What kStateOption and kNameOption say. A word that names no state is a usage error that lists those there
/// are.
[[nodiscard]] Expected<RunFilter> parse_run_filter(const Arguments& arguments);

}  // namespace ddp::cli
