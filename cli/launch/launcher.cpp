#include "cli/launch/launcher.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

std::string explain_death(const ProcessId& head, const RunFolder& folder) {
  std::error_code error;
  const auto size = std::filesystem::file_size(folder.head_log(), error);
  return fmt::format(
      "its head (process {} on {}) died without recording how the run ended; {}", head.pid, head.host,
      !error && size > 0 ? "see logs/head.log" : "it was killed, or could not write to the run folder");
}

/// Head and this machine see the same folder.
Expected<void> Launcher::tell_head(const RunStatus& run, const std::string& path, const std::string& text) {
  const auto file = std::filesystem::path(run.run_dir) / path;
  std::error_code error;
  std::filesystem::create_directory(file.parent_path(), error);
  if (error)
    return fail_errno(ExitCode::run_failed, "cannot make the folder '" + file.parent_path().string() + "'",
                      error.value());
  return save_file(file, text, Durability::visible);
}

}  // namespace ddp::cli
