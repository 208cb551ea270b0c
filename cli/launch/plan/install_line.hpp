#pragma once

#include <string>
#include <string_view>

namespace ddp::cli {

/// What a user types to install ddpsubmit and its trainer. As long as no release is published it names
/// files: a name of a package might be taken by somebody else. docs/releasing.md says when it changes;
/// README.md and the pages say the same (tests/scripts/install_line.bats), and scripts/demo reads it here.
inline constexpr std::string_view kInstallLine = "pip install ./ddpsubmit-*.whl ./ddpsubmit_trainer-*.whl";

/// The line that installs torch. A ddptrain works with one version only: "2.11.0".
[[nodiscard]] inline std::string install_line_of_torch(const std::string& version) {
  return "pip install torch==" + version;
}

}  // namespace ddp::cli
