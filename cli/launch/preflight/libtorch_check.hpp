#pragma once

#include <optional>

#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/spec/run_spec.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// An error when train.libtorch holds no LibTorch, cannot be a path of libraries, or is of a version that no
/// installed ddptrain is built for.
[[nodiscard]] std::optional<Error> find_unfit_libtorch(const RunSpec& spec, const PlanPaths& paths);

}  // namespace ddp::cli
