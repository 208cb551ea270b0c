#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/spec/run_spec.hpp"
#include "ddp/jobenv/env_map.hpp"

namespace ddp::cli {

/// A LibTorch on this machine: that of a torch wheel, or one that was unpacked alone.
struct LibTorch {
  std::filesystem::path folder;  ///< lib/libtorch_cpu.so is in it
  std::string version;           ///< "2.11.0"; empty: it does not say

  /// That which decides whether a ddptrain fits: "2.11".
  [[nodiscard]] std::string minor_version() const;
};

/// The LibTorch in `folder`, or in its folder torch, as site-packages has one. nullopt: there is none.
[[nodiscard]] std::optional<LibTorch> look_for_libtorch(const std::filesystem::path& folder);

/// That which `train.libtorch` of the run names. nullopt: none, or there is none.
[[nodiscard]] std::optional<LibTorch> libtorch_of(const RunSpec& spec);

/// Gives `train.libtorch` of a run with ddptrain the LibTorch that the ranks will load, as an absolute path:
/// what the file names; else that of the Python environment in which ddpsubmit is installed, or which
/// `environment` names in VIRTUAL_ENV or CONDA_PREFIX. The value's origin says which. Nothing changes where
/// ddptrain has a LibTorch of its own beside it, as in a build of the source, or LD_LIBRARY_PATH leads to
/// one. Where set-up lines may lead to one, the variables are not asked. `own_folder`: of ddpsubmit.
void resolve_libtorch(RunSpec& spec, const std::filesystem::path& own_folder, const EnvMap& environment);

}  // namespace ddp::cli
