#pragma once

#include "cli/doctor/finding.hpp"
#include "cli/spec/run_spec.hpp"
#include "jobenv/probe/node_facts.hpp"

namespace ddp::cli {

/// The check of what is found about ddptrain.
inline constexpr const char* kTrainerCheck = "ddptrain";

/// Whether a node can do its part in a run of `spec`. The first finding says what it is like and is always
/// ok, those that follow say what is wrong with it. All of them have its host. Pure.
[[nodiscard]] Findings judge_node(const NodeFacts& node, const RunSpec& spec);

}  // namespace ddp::cli
