#pragma once

#include <vector>

#include "jobenv/record/events/ledger_event.hpp"

namespace ddp {

/// What the ledger of a sweep, `events`, tells of one of its points, as if that were a run submitted by
/// itself: its submissions, each with the job of its own, the requests to cancel them, and all damage. `own`
/// is the point's own ledger: a sweep that stopped ends only the points that had not started. Pure.
[[nodiscard]] std::vector<LedgerEvent> select_point_events(const std::vector<LedgerEvent>& events, int point,
                                                           const std::vector<LedgerEvent>& own);

}  // namespace ddp
