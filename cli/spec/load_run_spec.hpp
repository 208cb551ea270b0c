#pragma once

#include <filesystem>
#include <tl/expected.hpp>

#include "cli/spec/run_spec.hpp"
#include "cli/spec/spec_sources.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Layers, later ones win: defaults, the files under `include`, the user's user.yaml, the file, the files of
/// +include, KEY=VALUE. Returns all errors at once, in the order of their places; when a file cannot be
/// parsed, only those of the files.
[[nodiscard]] tl::expected<RunSpec, Errors> load_run_spec(const SpecSources& sources);

/// A spec.yaml that render_spec wrote: that file alone, no user.yaml.
[[nodiscard]] tl::expected<RunSpec, Errors> load_resolved_spec(const std::filesystem::path& file,
                                                               const SchemaSource& schemas_of = {});

}  // namespace ddp::cli
