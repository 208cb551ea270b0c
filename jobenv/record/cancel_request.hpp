#pragma once

#include <vector>

#include "jobenv/record/ledger.hpp"

namespace ddp {

/// Whether somebody has asked to cancel the newest submission of a run; `events` is its whole ledger. A
/// `cancel_requested` names the submission by its token, so that hosts whose clocks differ agree; one without
/// a token is for the submission that it stands behind.
[[nodiscard]] bool is_cancel_requested(const std::vector<LedgerEvent>& events);

}  // namespace ddp
