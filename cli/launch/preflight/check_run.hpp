#pragma once

#include <string>
#include <vector>

#include "cli/launch/plan/prepared_run.hpp"

namespace ddp::cli {

/// Programs, and what the launcher finds this machine to lack. Asks nobody and writes nothing.
[[nodiscard]] Preflight preflight(const PreparedRun& run, const Launcher& launcher);

/// The same, and the libraries that the trainer would not find: its loader lists them, and it is not started.
[[nodiscard]] Preflight preflight_with_libraries(const PreparedRun& run, const Launcher& launcher,
                                                 CommandRunner& runner);

/// All that can be checked before a run is written: preflight, secrets, libraries of the trainer, what a
/// trainer other than ddptrain says of the configuration, the working tree that is to be copied, run_root
/// (where a file is made and removed), and the launcher, which may ask the outside. All errors at once, or
/// the warnings.
[[nodiscard]] tl::expected<std::vector<std::string>, Errors> check_run(const PreparedRun& run,
                                                                       Launcher& launcher,
                                                                       const LauncherSeams& seams);

}  // namespace ddp::cli
