#include "cli/store/state/run_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/submission_token.hpp"
#include "jobenv/record/plan/plan_file.hpp"

namespace ddp::cli {
namespace {

std::vector<ExitRecord> load_exit_records(const RunFolder& folder, int attempt, int world_size) {
  std::vector<ExitRecord> records;
  for (int rank = 0; rank < world_size; ++rank) {
    if (auto record = load_exit_record(folder.exit_record(attempt, rank)))
      records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace

Expected<void> check_exists(const RunFolder& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder.root(), error)) return {};
  return fail(ExitCode::not_found, "the run folder '" + folder.root().string() + "' is gone");
}

Expected<LaunchPlan> load_run_plan(const RunFolder& folder) {
  if (auto exists = check_exists(folder); !exists) return tl::unexpected(exists.error());
  auto plan = read_plan(folder);
  if (plan) return plan;
  return fail(ExitCode::not_found, "the run's plan cannot be read: " + plan.error().message);
}

std::optional<ProgramKind> load_program_kind(const RunFolder& folder) {
  const auto text = load_file(folder.plan()).value_or("");
  // In the layout that plans are written in only a field of the whole stands two blanks from the margin.
  for (const auto kind : {ProgramKind::trainer, ProgramKind::command}) {
    if (text.find(fmt::format("\n  \"program\": \"{}\"", name_of(kind))) != text.npos) return kind;
  }
  const auto plan = load_run_plan(folder);
  return plan ? std::optional(plan->program) : std::nullopt;
}

Expected<RunRecords> load_run_records(const RunFolder& folder, RankEvents ranks,
                                      const ConfirmedSuccesses& confirmed) {
  auto ledger = load_ledger(folder, ranks);
  if (!ledger) {
    const auto exists = check_exists(folder);
    return tl::unexpected(exists ? ledger.error() : exists.error());
  }
  RunRecords records;
  records.ledger = std::move(*ledger);
  const bool damaged = std::ranges::any_of(records.ledger, is<event::DamagedLines>);
  if (damaged) {
    records.script_token = load_script_token(folder.point() ? folder.sweep() : folder);
    records.highest_attempt = folder.highest_attempt().value_or(-1);
  }
  const auto attempt = find_reported_success(records.ledger);
  if (!attempt) return records;
  records.confirmed = !damaged && confirmed.holds(folder, *attempt);
  if (records.confirmed) return records;
  if (auto plan = load_run_plan(folder)) records.plan = std::move(*plan);
  records.exits = load_exit_records(folder, *attempt, records.world_size());
  return records;
}

}  // namespace ddp::cli
