#include "trainer/checkpoint/sharded_saver.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer/checkpoint/checkpoint_files.hpp"
#include "trainer/checkpoint/tensor_rows.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// Where rank 0 has made it.
void require_folder(const path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  throw std::runtime_error("'" + folder.string() +
                           "' does not exist here, although rank 0 has made it: every rank writes its own "
                           "part of a sharded checkpoint, so set run_root to a folder that all hosts share");
}

std::string join_faults(const std::vector<std::string>& faults) {
  std::string text = faults.front();
  const std::size_t more = faults.size() - 1;
  if (more > 0) text += " (and " + std::to_string(more) + (more == 1 ? " more rank)" : " more ranks)");
  return text;
}

}  // namespace

ShardedSaver::ShardedSaver(CheckpointStore checkpoints, c10::intrusive_ptr<c10d::Store> store, int rank,
                           int ranks, std::chrono::milliseconds patience)
    : checkpoints_(std::move(checkpoints)), exchange_(std::move(store), rank, ranks, patience) {}

SaveOutcome ShardedSaver::save(const TrainingState& state, const SaveOptions& options) {
  exchange_.begin(size_of(state));
  if (exchange_.rank() == 0) return save_as_rank_0(state, options);
  save_own_part(state);
  return {};
}

SaveOutcome ShardedSaver::save_as_rank_0(const TrainingState& state, const SaveOptions& options) {
  const std::uint64_t bytes = exchange_.total_bytes();
  bool is_open = false;
  const auto write = [&](const path& folder) {
    std::filesystem::create_directory(folder);
    is_open = true;
    exchange_.open();
    write_files(folder, state);
  };
  try {
    return checkpoints_.save({.step = state.step, .bytes = bytes, .write = write}, options);
  } catch (...) {
    if (!is_open) exchange_.refuse();
    throw;
  }
}

void ShardedSaver::write_files(const path& folder, const TrainingState& state) {
  FileSums sums;
  std::exception_ptr failure;
  try {
    sums = save_shard_files(folder, exchange_.rank(), rows_of(state));
  } catch (...) {
    failure = std::current_exception();
  }
  // Also after a failure: the folder is removed then, and nobody should write there any more.
  ShardExchange::Reports reports = exchange_.collect();
  if (failure) std::rethrow_exception(failure);
  if (!reports.faults.empty()) throw std::runtime_error(join_faults(reports.faults));
  sums.merge(reports.sums);
  save_shared_files(folder, state, sums);
}

void ShardedSaver::save_own_part(const TrainingState& state) {
  if (!exchange_.await_folder()) return;
  const path folder = checkpoints_.incomplete_folder(state.step);
  FileSums sums;
  try {
    require_folder(folder);
    sums = save_shard_files(folder, exchange_.rank(), rows_of(state));
  } catch (const std::exception& error) {
    exchange_.report_failure(error.what());
    return;
  }
  exchange_.report(sums);
}

}  // namespace ddp::trainer
