#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "jobenv/record/events/ledger_event.hpp"

namespace ddp {

/// Appends the events of one file of a ledger to `events`, in the order of its lines, with one event
/// event::DamagedLines where lines are none, and one for what the disk does not give. Reads line by line,
/// however long the file is.
void load_ledger_file(const std::filesystem::path& path, RankEvents ranks, std::vector<LedgerEvent>& events);

}  // namespace ddp
