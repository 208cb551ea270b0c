#pragma once

#include <optional>
#include <string>

#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/spec/run_spec.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// An error when train.libtorch holds no LibTorch, or cannot be a path of libraries, or when no
/// ddptrain is built for the version of the LibTorch there, or of that which LD_LIBRARY_PATH leads to.
/// `environment` is the job's.
[[nodiscard]] std::optional<Error> find_unfit_libtorch(const RunSpec& spec, const PlanPaths& paths,
                                                       const EnvMap& environment);

/// A warning when no ddptrain is built for the version of the LibTorch that ranks load if their set-up lines
/// lead to no other. `environment` is the job's.
[[nodiscard]] std::optional<std::string> find_doubtful_libtorch(const RunSpec& spec, const PlanPaths& paths,
                                                                const EnvMap& environment);

}  // namespace ddp::cli
