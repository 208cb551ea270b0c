#pragma once

#include <string>
#include <vector>

#include "jobenv/record/ledger/ledger.hpp"

namespace ddp {

/// Whether somebody has asked to cancel the newest submission of a run; `events` is its whole ledger. A
/// `cancel_requested` names the submission by its token, so that hosts whose clocks differ agree; one without
/// a token is for the submission that it stands behind. So is a record of a cancel that cannot be read: what
/// may have been a cancel is one.
[[nodiscard]] bool is_cancel_requested(const std::vector<LedgerEvent>& events);

/// The same for the submission `token`.
[[nodiscard]] bool is_cancel_requested(const std::vector<LedgerEvent>& events, const std::string& token);

}  // namespace ddp
