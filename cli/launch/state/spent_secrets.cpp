#include "cli/launch/state/spent_secrets.hpp"

#include <filesystem>

#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/submission_lock.hpp"

namespace ddp::cli {

void remove_spent_secrets(const RunPointer& pointer, const RunStatus& status) {
  int number = 0;
  for (const auto& point : status.points) remove_spent_secrets(point_pointer(pointer, number++), point);
  const RunFolder folder(pointer.run_dir);
  std::error_code ignored;
  if (!is_final(status.state) || !std::filesystem::exists(folder.secrets(), ignored)) return;
  const auto lock = lock_submission(folder);
  if (!lock && lock.error().code == ExitCode::still_running) return;
  if (load_recorded_status(pointer).token == status.token) std::filesystem::remove(folder.secrets(), ignored);
}

}  // namespace ddp::cli
