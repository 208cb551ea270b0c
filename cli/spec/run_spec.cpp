#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

std::optional<SourceMark> ValueOrigins::mark(const std::string& path) const {
  const auto found = by_path.find(path);
  if (found == by_path.end()) return std::nullopt;
  return found->second.mark();
}

std::vector<std::string> RunSpec::sweep_values(std::size_t point) const {
  std::vector<std::string> values;
  std::size_t stride = points.size();
  for (const NamedList& axis : sweep) {
    stride /= axis.values.size();
    values.push_back(axis.values[point / stride % axis.values.size()]);
  }
  return values;
}

std::optional<std::string> RunSpec::stop_signal() const {
  if (fault_tolerance.signal == "none") return std::nullopt;
  if (fault_tolerance.signal != "auto") return fault_tolerance.signal;
  return train ? std::optional<std::string>("USR2") : std::nullopt;
}

int RunSpec::max_restarts() const {
  return static_cast<int>(fault_tolerance.max_restarts.value_or(train ? 3 : 0));
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
