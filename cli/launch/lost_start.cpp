#include "cli/launch/lost_start.hpp"

#include <filesystem>

namespace ddp::cli {
namespace {

/// An order to start head is waited for for a minute.
constexpr std::chrono::minutes kLongestStart{2};

}  // namespace

JobSighting judge_lost_start(const LostJob& lost, std::chrono::system_clock::time_point now) {
  std::error_code ignored;
  const bool is_sweep = std::filesystem::exists(lost.folder.sweep_record(), ignored);
  if (is_sweep || !lost.since || now - *lost.since < kLongestStart) return {};
  return {.presence = JobPresence::absent};
}

}  // namespace ddp::cli
