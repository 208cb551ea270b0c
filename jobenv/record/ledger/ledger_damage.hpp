#pragma once

#include <string>
#include <vector>

#include "jobenv/record/events/ledger_event.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// Lines of a ledger that cannot be read may have told of anything that their writer tells.

/// Whether they may have told of a submission, or of its answer.
[[nodiscard]] bool may_hide_submission(const LedgerEvent& event);
/// Whether they may have told of a cancel.
[[nodiscard]] bool may_hide_cancel(const LedgerEvent& event);
/// Whether head wrote them.
[[nodiscard]] bool may_hide_word_of_head(const LedgerEvent& event);

/// "FILE:LINE cannot be read: the line is ignored", for each damage of a ledger.
[[nodiscard]] std::vector<std::string> describe_damage(const std::vector<LedgerEvent>& events);

/// A submission to a queue whose intent is lost in damaged lines is known by its token all the same: the
/// batch script has it. Adds that intent to the whole ledger of `folder`, with a field `recovered`, before
/// the damage, and both before the first event that is surely of this submission, by its job or its token;
/// where there is none, at the end. No clock of a file server decides.
void recover_submission(const RunFolder& folder, std::vector<LedgerEvent>& events);

}  // namespace ddp
