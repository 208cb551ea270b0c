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
  std::string version;           ///< "2.11.0", which decides whether a ddptrain fits; empty: it does not say
};

/// The LibTorch in `folder`, or in its folder torch, as site-packages has one. nullopt: there is none.
[[nodiscard]] std::optional<LibTorch> look_for_libtorch(const std::filesystem::path& folder);

/// The first character, if any, for which the loader would not take `folder` in a path of libraries as it is.
[[nodiscard]] std::optional<char> find_unsafe_character(const std::filesystem::path& folder);

/// That which LD_LIBRARY_PATH leads to: of the run, or else of `environment`, the job's. nullopt: none.
[[nodiscard]] std::optional<LibTorch> libtorch_in_library_path(const RunSpec& spec,
                                                               const EnvMap& environment);

/// That which the ranks of a resolved run load, unless their set-up lines lead to another; `environment` is
/// the job's. nullopt: it is not known, or not there.
[[nodiscard]] std::optional<LibTorch> libtorch_of(const RunSpec& spec, const EnvMap& environment);

/// Gives `train.libtorch` of a run with ddptrain the LibTorch that the ranks will load, as an absolute path:
/// what the file names; else that of the Python environment in which ddpsubmit is installed, or which
/// `submitter` names in VIRTUAL_ENV or CONDA_PREFIX. The value's origin says which. Nothing changes where
/// ddptrain has a LibTorch of its own beside it, as in a build of the source, or LD_LIBRARY_PATH of the job
/// leads to one. Where set-up lines may lead to one, that which the variables name becomes `spare_libtorch`.
/// `own_folder`: of ddpsubmit.
void resolve_libtorch(RunSpec& spec, const std::filesystem::path& own_folder, const EnvMap& submitter);

}  // namespace ddp::cli
