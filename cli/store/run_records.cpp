#include "cli/store/run_records.hpp"

#include <filesystem>

#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/launch_plan.hpp"

namespace ddp::cli {
namespace {

std::optional<LaunchPlan> load_plan(const RunFolder& folder) {
  const auto text = load_file(folder.plan());
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  auto plan = parse_launch_plan(json);
  if (!plan) return std::nullopt;
  return std::move(*plan);
}

std::vector<ExitRecord> load_exit_records(const RunFolder& folder, int attempt, int world_size) {
  std::vector<ExitRecord> records;
  for (int rank = 0; rank < world_size; ++rank) {
    const auto text = load_file(folder.exit_record(attempt, rank));
    if (!text) continue;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (json.is_discarded()) continue;
    if (auto record = parse_exit_record(json)) records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace

Expected<RunRecords> load_run_records(const RunFolder& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder.root(), error)) {
    return fail(ExitCode::not_found, "the run folder '" + folder.root().string() + "' is gone");
  }
  auto ledger = load_ledger(folder);
  if (!ledger) return tl::unexpected(ledger.error());
  RunRecords records;
  records.ledger = std::move(*ledger);
  records.plan = load_plan(folder);
  if (!reports_success(records.ledger)) return records;
  if (const auto attempt = folder.highest_attempt(); attempt && *attempt >= 0) {
    records.exits = load_exit_records(folder, *attempt, records.world_size());
  }
  return records;
}

}  // namespace ddp::cli
