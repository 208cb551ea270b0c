#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// The end of an attempt whose head left none, because its node died or the scheduler ended it
/// at once: how far it came, as its exit records and metrics.jsonl tell, and what of that has to be done
/// again by an attempt that resumes after the step `resumes_after`; where only a command knows that, it is
/// nullopt. nullopt: it has its end. `events` is the whole ledger.
[[nodiscard]] std::optional<event::AttemptEnded> describe_lost_attempt(
    const RunFolder& folder, int attempt, const std::vector<LedgerEvent>& events,
    std::optional<std::uint64_t> resumes_after);

}  // namespace ddp::agent
