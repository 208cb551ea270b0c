#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

std::optional<SourceMark> ValueOrigins::mark(const std::string& path) const {
  const auto found = by_path.find(path);
  if (found == by_path.end()) return std::nullopt;
  return found->second.mark();
}

std::optional<std::string> RunSpec::stop_signal() const {
  if (fault_tolerance.signal == "none") return std::nullopt;
  if (fault_tolerance.signal != "auto") return fault_tolerance.signal;
  return train ? std::optional<std::string>("USR2") : std::nullopt;
}

std::string_view to_string(LauncherKind launcher) {
  switch (launcher) {
    case LauncherKind::local:
      return "local";
    case LauncherKind::slurm:
      return "slurm";
  }
  return "";
}

}  // namespace ddp::cli
