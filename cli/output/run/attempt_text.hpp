#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One attempt of the run: how it ended, where and when it ran, what it cost, and a table of its ranks.
/// `columns`: of the terminal; nullopt: there is none.
[[nodiscard]] std::string render_attempt(const KnownRun& run, const AttemptStatus& attempt,
                                         std::optional<std::size_t> columns = std::nullopt);

/// Whether the attempt failed because of this rank.
[[nodiscard]] bool failed_first(const KnownRun& run, const AttemptStatus& attempt, int rank);

/// How a rank of the attempt has ended, beside its exit code or signal: "failed first", "stopped by
/// ddpsubmit". Empty: not known.
[[nodiscard]] std::string render_rank_end(const KnownRun& run, const AttemptStatus& attempt,
                                          const RankStatus& rank);

}  // namespace ddp::cli
